// Offsets, strides and item numbers above 2^32. Allocations are mostly untouched pages: a launch works on a few hundred
// items in the middle of billions.

#include "harness.h"

#include <algorithm>
#include <cstddef>

namespace {

const u64 two32 = u64(1) << 32;

// A Place is device memory too large for a copy on the host.
class Place {
  public:
    Place(Driver &driver, u64 bytes) : address(driver.allocate(bytes)), driver_(driver) {}
    ~Place() { driver_.release(address); }
    const u64 address;

  private:
    Driver &driver_;
};

// value_of is what byte i of every source here holds: never 0, which is what a new page holds.
u8 value_of(u64 i) { return 1 + (i * 2654435761u >> 7) % 255; }

class Source : public Buffer {
  public:
    Source(Driver &driver, u64 bytes) : Buffer(driver, bytes) {
        for (u64 i = 0; i < bytes; i++)
            this->bytes[i] = value_of(i);
        upload();
    }
};

void launch(Driver &driver, Segment segment, u64 begin, u64 end) {
    segment.items_per_run = items_per_run(segment);
    Buffer table(driver, sizeof segment);
    std::memcpy(table.bytes.data(), &segment, sizeof segment);
    table.upload();
    driver.launch("copy_segments", table.address, 1, begin, end, 1, 32);
}

void need(Driver &driver, u64 address, const std::vector<u8> &want, const std::string &what) {
    std::vector<u8> got(want.size());
    driver.download(got.data(), address, got.size());
    auto at = std::mismatch(want.begin(), want.end(), got.begin());
    if (at.first != want.end())
        throw Wrong{"large, " + what + ": byte " + std::to_string(at.first - want.begin()) + ": got " + std::to_string(*at.second) +
                    ", want " + std::to_string(*at.first)};
}

// Far is three elements so far apart that strides and offsets in elements, bytes or counters are above 2^32.
struct Far {
    explicit Far(u32 width) : width(width), stride(two32 / (width > 8 ? 4 : width > 2 ? 2 : 1) + 7) {}

    u64 bytes(u64 unit) const { return (2 * stride + 1) * unit; }

    // step copies the middle element and the one after it, or the one before it.
    Segment step(u64 near, u64 far, int direction) const {
        Segment s = {};
        s.width = width, s.axes = 1, s.extent[0] = 2;
        s.source = near, s.source_offset = 1, s.source_stride[0] = direction;
        s.target = far, s.target_offset = stride, s.target_stride[0] = direction * i64(stride);
        return s;
    }

    u32 width;
    u64 stride; // elements
};

void to_far(Driver &driver, u32 width) {
    Far far(width);
    Source near(driver, 3 * width);
    Place target(driver, far.bytes(width)), counters(driver, far.bytes(4));
    for (int direction : {1, -1}) {
        Segment s = far.step(near.address, target.address, direction);
        s.counts = counters.address;
        launch(driver, s, 0, 2);
    }
    for (u64 i = 0; i < 3; i++) {
        std::vector<u8> element(near.bytes.begin() + i * width, near.bytes.begin() + (i + 1) * width);
        need(driver, target.address + i * far.stride * width, element, "to far, width " + std::to_string(width));
        need(driver, counters.address + i * far.stride * 4, {u8(i == 1 ? 2 : 1), 0, 0, 0}, "counters, width " + std::to_string(width));
    }
}

void from_far(Driver &driver, u32 width) {
    Far far(width);
    Source labels(driver, 3 * width);
    Place source(driver, far.bytes(width));
    Buffer near(driver, 3 * width);
    for (u64 i = 0; i < 3; i++)
        driver.upload(source.address + i * far.stride * width, labels.bytes.data() + i * width, width);
    for (int direction : {1, -1}) {
        Segment s = far.step(near.address, source.address, direction);
        std::swap(s.source, s.target);
        std::swap(s.source_offset, s.target_offset);
        std::swap(s.source_stride, s.target_stride);
        launch(driver, s, 0, 2);
    }
    need(driver, near.address, labels.bytes, "from far, width " + std::to_string(width));
}

// far_items launches a few hundred of 43 billion single-byte items, by element.
void far_items(Driver &driver, Random &random) {
    const u64 i_extent = 65537, j_extent = 131075, k_extent = 5, total = i_extent * j_extent * k_extent;
    Source source(driver, i_extent + 3 * j_extent + 7 * k_extent);
    Place target(driver, total);
    Segment s = {};
    s.width = 1, s.axes = 3;
    s.source = source.address, s.target = target.address;
    const u64 extent[] = {i_extent, j_extent, k_extent};
    const i64 from[] = {1, 3, 7}, to[] = {i64(j_extent * k_extent), i64(k_extent), 1};
    std::copy(extent, extent + 3, s.extent);
    std::copy(from, from + 3, s.source_stride);
    std::copy(to, to + 3, s.target_stride);
    for (u64 begin : {two32 - 100, 9 * two32 - 50, total - 200, 2 * two32 + random.between(0, 7 * two32)}) {
        launch(driver, s, begin, begin + 200);
        std::vector<u8> want(begin + 200 == total ? 300 : 400);
        for (u64 item = begin; item < begin + 200; item++)
            want[item - begin + 100] = value_of(item / (j_extent * k_extent) + 3 * (item / k_extent % j_extent) + 7 * (item % k_extent));
        need(driver, target.address + begin - 100, want, "items from " + std::to_string(begin));
    }
}

// far_windows does the same by window. Its runs would overlap if they were all launched.
void far_windows(Driver &driver, Random &random) {
    const u64 runs = (1 << 20) + 7, run = (1 << 17) + 5, items = (run + 30) / 16, stride = 40016;
    const u64 cut = 3; // a run's first window begins so much before it
    Source source(driver, run + 64);
    Place target(driver, runs * stride + run + cut + 100);
    Segment s = {};
    s.width = 1, s.axes = 2, s.form = 1;
    s.source = source.address + cut, s.target = target.address + cut;
    s.extent[0] = runs, s.extent[1] = run;
    s.source_stride[1] = 1, s.target_stride[0] = stride, s.target_stride[1] = 1;
    for (u64 begin : {two32 - 100, (runs - 3) * items, random.between(two32, (runs - 3) * items)}) {
        u64 at = begin / items, first = begin % items * 16, end = std::min(begin + 200, (at + 1) * items);
        launch(driver, s, begin, end);
        u64 lo = first > cut ? first - cut : 0, hi = std::min(first + (end - begin) * 16 - cut, run);
        std::vector<u8> want(cut + hi - lo + 100);
        for (u64 i = lo; i < hi; i++)
            want[cut + i - lo] = value_of(cut + i);
        need(driver, target.address + at * stride + lo, want, "windows from " + std::to_string(begin));
    }
}

// far_sources reads along an outer axis whose source stride is above 2^32.
void far_sources(Driver &driver) {
    const u64 stride = two32 + 9;
    Source labels(driver, 12);
    Place source(driver, 2 * stride + 4);
    Buffer target(driver, 12);
    for (u64 i = 0; i < 3; i++)
        driver.upload(source.address + i * stride, labels.bytes.data() + 4 * i, 4);
    Segment s = {};
    s.width = 1, s.axes = 2, s.extent[0] = 3, s.extent[1] = 4;
    s.source = source.address, s.source_stride[0] = stride, s.source_stride[1] = 1;
    s.target = target.address, s.target_stride[0] = 4, s.target_stride[1] = 1;
    launch(driver, s, 0, 12);
    need(driver, target.address, labels.bytes, "outer source stride");
}

// far_table launches items of the middle one of three segments, each of more than 2^32 items.
void far_table(Driver &driver) {
    const u64 elements = 2 * two32 - 7;
    Source source(driver, 1);
    Place target(driver, elements);
    Segment segments[3];
    for (u64 i = 0; i < 3; i++) {
        Segment s = {};
        s.width = 1, s.axes = 1, s.extent[0] = s.items_per_run = elements;
        s.first = i * elements;
        s.source = source.address;
        s.target = i == 1 ? target.address : 0; // the others' items would fault
        s.target_stride[0] = 1;
        segments[i] = s;
    }
    Buffer table(driver, sizeof segments);
    std::memcpy(table.bytes.data(), segments, sizeof segments);
    table.upload();
    for (u64 at : {u64(0), two32 - 50, elements - 100}) {
        driver.launch("copy_segments", table.address, 3, elements + at, elements + at + 100, 1, 32);
        need(driver, target.address + at, std::vector<u8>(100, value_of(0)), "table, item " + std::to_string(at));
    }
}

// far_index uses the last but one entry of a table of 2^27: those before it are zero pages, so they start at 0 too and
// hold nothing, and the one after it holds what is not launched.
void far_index(Driver &driver) {
    const u64 entries = u64(1) << 27;
    Source source(driver, 8);
    Buffer target(driver, 8), verdict(driver, sizeof(Verdict));
    Place segments(driver, entries * sizeof(Segment)), shards(driver, entries * sizeof(Shard));
    Segment s = {};
    s.width = 8, s.items_per_run = 1, s.source = source.address, s.target = target.address;
    const Segment last_segment = {1, 1, 0, 0, 0, 0, 0, 8, 0, 0, {}, {}, {}};
    driver.upload(segments.address + (entries - 2) * sizeof s, &s, sizeof s);
    driver.upload(segments.address + (entries - 1) * sizeof s, &last_segment, sizeof s);
    driver.launch("copy_segments", segments.address, entries, 0, 1, 1, 32);
    need(driver, target.address, source.bytes, "index of a segment");
    Shard shard = {0, target.address, source.address, 0, 0, 8, verdict.address};
    const Shard last_shard = {1, 0, 0, 0, 0, 8, 0};
    driver.upload(shards.address + (entries - 2) * sizeof shard, &shard, sizeof shard);
    driver.upload(shards.address + (entries - 1) * sizeof shard, &last_shard, sizeof shard);
    driver.launch("compare_shards", shards.address, entries, 0, 1, 1, 32);
    std::vector<u8> want(sizeof(Verdict));
    want[offsetof(Verdict, compared)] = 1;
    need(driver, verdict.address, want, "index of a shard");
}

// across_4GiB copies a run to, from and across an address that is a multiple of 2^32.
void across_4GiB(Driver &driver, u32 width, u64 bytes, u64 source_skew) {
    const u64 elements = bytes / width, before = 16 * 13 + width % 16;
    Place source(driver, 2 * two32), target(driver, 2 * two32), counters(driver, 5 * two32);
    auto boundary = [](const Place &place) { return (place.address + two32) / two32 * two32; };
    std::vector<u8> labels(bytes), ones(elements * 4);
    for (u64 i = 0; i < bytes; i++)
        labels[i] = value_of(i);
    for (u64 i = 0; i < ones.size(); i += 4)
        ones[i] = 1;
    Segment s = {};
    s.width = width, s.axes = 1, s.form = 1, s.extent[0] = elements;
    s.source = boundary(source) - before + source_skew * width, s.target = boundary(target) - before;
    s.counts = boundary(counters) - before / width * 4;
    s.source_stride[0] = s.target_stride[0] = 1;
    driver.upload(s.source, labels.data(), labels.size());
    launch(driver, s, 0, items_per_run(s));
    need(driver, s.target, labels, "across 4 GiB, width " + std::to_string(width));
    need(driver, s.counts, ones, "counters across 4 GiB, width " + std::to_string(width));
}

// far_extents launches a few hundred items of an axis of 2^33 indices between two others.
void far_extents(Driver &driver) {
    const u64 i_extent = 3, j_extent = 2 * two32 + 1, k_extent = 2;
    Source source(driver, 16);
    Place target(driver, 5 * j_extent + 8);
    Segment s = {};
    s.width = 1, s.axes = 3;
    s.source = source.address, s.target = target.address;
    const u64 extent[] = {i_extent, j_extent, k_extent};
    const i64 from[] = {1, 0, 5}, to[] = {2, 5, 1};
    std::copy(extent, extent + 3, s.extent);
    std::copy(from, from + 3, s.source_stride);
    std::copy(to, to + 3, s.target_stride);
    u64 j = two32 - 50;
    for (u64 i = 0; i < 2; i++)
        launch(driver, s, (i * j_extent + j) * k_extent, (i * j_extent + j + 100) * k_extent);
    std::vector<u8> want(505);
    for (u64 n = 0; n < 100; n++)
        for (u64 i = 0; i < 2; i++)
            for (u64 k = 0; k < 2; k++)
                want[n * 5 + i * 2 + k] = value_of(i + 5 * k);
    need(driver, target.address + j * 5, want, "extent");
}

// far_run launches a few hundred items in the middle of one run of 2^33 elements, counted. Where the source is skewed,
// windows go element by element.
void far_run(Driver &driver, u16 form, u64 source_skew) {
    const u64 elements = 2 * two32 + 3, begin = two32 - 96, count = 200 * (form == 0 ? 1 : 16);
    Place source(driver, elements + source_skew), target(driver, elements), counters(driver, elements * 4);
    std::vector<u8> want(count), ones(count * 4);
    for (u64 i = 0; i < count; i++)
        want[i] = value_of(i), ones[4 * i] = 1;
    driver.upload(source.address + source_skew + begin, want.data(), want.size());
    want.resize(count + 64), ones.resize(ones.size() + 64);
    Segment s = {};
    s.width = 1, s.axes = 1, s.form = form;
    s.source = source.address + source_skew, s.target = target.address, s.counts = counters.address;
    s.extent[0] = elements, s.source_stride[0] = s.target_stride[0] = 1;
    u64 first = form == 0 ? begin : begin / 16;
    launch(driver, s, first, first + 200);
    need(driver, target.address + begin, want, "run, form " + std::to_string(form));
    need(driver, counters.address + begin * 4, ones, "counters of a run, form " + std::to_string(form));
}

// far_comparison finds one wrong element above 2^32, in a shard that begins above 2^33.
void far_comparison(Driver &driver, u64 width) {
    const u64 elements = two32 + 1000, wrong = two32 + 100, first = 2 * two32 + 5;
    Place found(driver, elements * width), expected(driver, elements * width);
    u8 one = 1;
    driver.upload(found.address + wrong * width + width - 1, &one, 1);
    Buffer verdict(driver, sizeof(Verdict)), table(driver, 3 * sizeof(Shard));
    const Verdict none = {~u64(0), 0, 0, 0}, want = {first + wrong, 1, 0, 400};
    std::memcpy(verdict.bytes.data(), &none, sizeof none);
    verdict.upload();
    Shard shards[3] = {{0, 0, 0, 0, 0, width, 0}, // its elements, and the last one's, would fault
                       {first, found.address, expected.address, 0, ~u64(0), width, verdict.address},
                       {first + elements, 0, 0, 0, 0, width, 0}};
    std::memcpy(table.bytes.data(), shards, sizeof shards);
    table.upload();
    driver.launch("compare_shards", table.address, 3, first + two32 - 100, first + two32 + 300, 1, 32);
    std::vector<u8> bytes(sizeof want);
    std::memcpy(bytes.data(), &want, sizeof want);
    need(driver, verdict.address, bytes, "verdict, width " + std::to_string(width));
}

} // namespace

void check_large(Driver &driver, u64 seed) {
    Random random(seed);
    for (u32 width : {1, 2, 4, 8, 16}) {
        to_far(driver, width);
        from_far(driver, width);
    }
    far_items(driver, random);
    far_windows(driver, random);
    far_extents(driver);
    far_sources(driver);
    far_table(driver);
    far_index(driver);
    far_run(driver, 0, 0);
    far_run(driver, 1, 0);
    far_run(driver, 1, 1);
    for (u32 width : {1, 2, 4, 8, 16})
        for (u64 bytes : {512, 4096}) // less than a tile and more
            for (u64 source_skew : {0, 1})
                across_4GiB(driver, width, bytes, source_skew);
    for (u64 width : {1, 2, 4})
        far_comparison(driver, width);
}
