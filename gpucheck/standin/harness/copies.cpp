// Random batches of segments through copy_segments, against a plain loop over the elements.

#include "harness.h"

#include <algorithm>
#include <numeric>

namespace {

const u64 most_elements = 3000; // of a segment
const u8 sentinel = 0xA5;

u64 elements_of(const Segment &s) {
    return std::accumulate(s.extent, s.extent + s.axes, u64(1), [](u64 a, u64 b) { return a * b; });
}

// draw_extents draws 0 to 8 axes; the innermost is often long, so that there are whole windows.
void draw_extents(Random &random, Segment &s) {
    s.axes = random.between(0, max_axes);
    u64 elements = 1;
    for (u32 axis = s.axes; axis-- > 0;) {
        u64 longest = axis + 1 == s.axes ? random.one_in(4) ? most_elements : 70 : 5;
        s.extent[axis] = random.between(1, std::max<u64>(1, std::min(longest, most_elements / elements)));
        elements *= s.extent[axis];
    }
    if (s.axes > 0 && random.one_in(20))
        s.extent[random.between(0, s.axes - 1)] = 0;
}

// Span is what a view reaches: addresses lo to hi, both reached.
struct Span {
    i64 lo, hi;
};

Span span_of(const Segment &s, const i64 *stride) {
    Span span = {0, 0};
    for (u32 axis = 0; axis < s.axes; axis++) {
        i64 reach = (i64(s.extent[axis]) - 1) * stride[axis];
        (reach < 0 ? span.lo : span.hi) += s.extent[axis] == 0 ? 0 : reach;
    }
    return span;
}

// draw_target_strides gives each element its own address: axes in some order, some with gaps, some reversed.
void draw_target_strides(Random &random, Segment &s, bool contiguous) {
    std::vector<u32> order(s.axes);
    std::iota(order.begin(), order.end(), 0);
    for (u32 i = s.axes; i-- > 1;)
        std::swap(order[i], order[random.between(0, i)]);
    if (contiguous)
        std::iter_swap(std::find(order.begin(), order.end(), s.axes - 1u), order.begin());
    i64 stride = contiguous ? 1 : random.between(1, 3);
    for (u32 axis : order) {
        bool reversed = random.one_in(6) && !(contiguous && axis + 1u == s.axes);
        s.target_stride[axis] = reversed ? -stride : stride;
        stride *= std::max<i64>(1, s.extent[axis]);
        stride += random.one_in(3) ? random.between(0, 3) : 0;
    }
}

void draw_source_strides(Random &random, Segment &s, bool contiguous) {
    for (u32 axis = 0; axis < s.axes; axis++)
        s.source_stride[axis] = i64(random.between(0, 40)) - 10;
    if (contiguous)
        s.source_stride[s.axes - 1] = 1;
}

// A Batch is segments in one table, their sources in one allocation and their targets in another.
class Batch {
  public:
    Batch(Driver &driver, Random &random) : driver_(driver), random_(random) {
        segments_.resize(random.between(1, 12));
        u64 width_bits = random.between(0, 4);
        for (Segment &s : segments_)
            draw(s, u32(1) << (random.one_in(4) ? random.between(0, 4) : width_bits));
    }

    void check() {
        Buffer source(driver_, source_bytes_), target(driver_, target_bytes_, sentinel);
        Buffer counters(driver_, target_bytes_ * sizeof(u32));
        for (u8 &byte : source.bytes)
            byte = random_.next();
        source.upload();
        bool count = random_.one_in(2);
        for (std::size_t i = 0; i < segments_.size(); i++) {
            segments_[i].source = source.address + source_at_[i];
            segments_[i].target = target.address + target_at_[i];
            // Each byte of the targets has a counter; an element takes the one of its place in its segment's.
            segments_[i].counts = count ? counters.address + target_at_[i] * sizeof(u32) : 0;
        }
        launch();
        for (std::size_t i = 0; i < segments_.size(); i++)
            copy(segments_[i], source.bytes.data() + source_at_[i], target.bytes.data() + target_at_[i],
                 count ? counters.bytes.data() + target_at_[i] * sizeof(u32) : nullptr);
        compare(target.bytes, target.download(), "target byte ");
        compare(counters.bytes, counters.download(), "counter byte ");
    }

  private:
    void draw(Segment &s, u32 width) {
        s = {};
        s.width = width;
        draw_extents(random_, s);
        bool contiguous = s.axes > 0 && !random_.one_in(3);
        draw_target_strides(random_, s, contiguous);
        draw_source_strides(random_, s, contiguous);
        s.form = contiguous && !random_.one_in(5);
        source_at_.push_back(place(span_of(s, s.source_stride), width, s.source_offset, source_bytes_));
        target_at_.push_back(place(span_of(s, s.target_stride), width, s.target_offset, target_bytes_));
        s.items_per_run = items_per_run(s);
        s.first = items_;
        items_ += items_of(s);
    }

    // place makes room for a span between guards, some elements off any alignment but the width's. It sets the
    // segment's offset and returns where element 0 of its shard stands.
    u64 place(Span span, u64 width, i64 &offset, u64 &bytes) {
        u64 shard = (bytes + width - 1) / width * width + random_.between(0, 20) * width;
        u64 before = random_.between(0, 9); // elements between the shard's first and the segment's
        offset = before - span.lo;
        bytes = shard + (offset + span.hi + 1 + random_.between(0, 5)) * width;
        return shard;
    }

    // launch runs the table in one piece or several.
    void launch() {
        Buffer table(driver_, segments_.size() * sizeof(Segment));
        std::memcpy(table.bytes.data(), segments_.data(), table.bytes.size());
        table.upload();
        u32 blocks = random_.between(1, 4), threads = random_.one_in(3) ? 256 : 32;
        for (u64 begin = 0, end; begin < items_; begin = end) {
            end = random_.one_in(3) ? random_.between(begin, items_) : items_;
            driver_.launch("copy_segments", table.address, segments_.size(), begin, end, blocks, threads);
        }
    }

    static void copy(const Segment &s, const u8 *source, u8 *target, u8 *counters) {
        u64 index[max_axes] = {};
        for (u64 n = elements_of(s); n > 0; n--) {
            i64 from = s.source_offset, to = s.target_offset;
            for (u32 axis = 0; axis < s.axes; axis++) {
                from += i64(index[axis]) * s.source_stride[axis];
                to += i64(index[axis]) * s.target_stride[axis];
            }
            std::memcpy(target + to * s.width, source + from * s.width, s.width);
            if (counters != nullptr)
                counters[to * sizeof(u32)]++;
            for (u32 axis = s.axes; axis-- > 0;) {
                if (++index[axis] < s.extent[axis])
                    break;
                index[axis] = 0;
            }
        }
    }

    static void compare(const std::vector<u8> &want, const std::vector<u8> &got, const char *what) {
        auto at = std::mismatch(want.begin(), want.end(), got.begin());
        if (at.first != want.end())
            throw Wrong{what + std::to_string(at.first - want.begin()) + ": got " + std::to_string(*at.second) + ", want " +
                        std::to_string(*at.first)};
    }

    Driver &driver_;
    Random &random_;
    std::vector<Segment> segments_;
    std::vector<u64> source_at_, target_at_; // bytes from the allocations' begin to each segment's shards
    u64 source_bytes_ = 0, target_bytes_ = 0, items_ = 0;
};

} // namespace

void check_copies(Driver &driver, u64 seed, u64 cases) {
    for (u64 i = 0; i < cases; i++) {
        Random random(seed * 1000003 + i);
        try {
            Batch(driver, random).check();
        } catch (const Wrong &wrong) {
            throw Wrong{"copies, seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " + wrong.problem};
        }
    }
}
