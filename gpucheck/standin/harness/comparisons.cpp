// Random shards through compare_shards, right ones and wrong ones, against a plain loop over the elements.

#include "harness.h"

#include <algorithm>
#include <memory>

namespace {

const u64 most_elements = 200; // of a shard

// A Case is one table of shards and the memory behind it.
class Case {
  public:
    Case(Driver &driver, Random &random) : driver_(driver), random_(random), shards_(random.one_in(4) ? 1 : random.between(2, 9)) {
        spoil_ = random.one_in(3) ? 0 : random.between(1, 100);
        verdicts_.resize(random.one_in(2) ? 1 : shards_.size());
    }

    void check() {
        Buffer verdicts(driver_, verdicts_.size() * sizeof(Verdict));
        for (Verdict &verdict : verdicts_)
            verdict = {~u64(0), 0, 0, 0};
        std::memcpy(verdicts.bytes.data(), verdicts_.data(), verdicts.bytes.size());
        verdicts.upload();
        for (std::size_t i = 0; i < shards_.size(); i++) {
            u64 verdict = i % verdicts_.size();
            draw(shards_[i], verdicts_[verdict]);
            shards_[i].verdict = verdicts.address + verdict * sizeof(Verdict);
        }
        launch();
        std::vector<u8> got = verdicts.download();
        for (std::size_t i = 0; i < verdicts_.size(); i++)
            compare(verdicts_[i], *reinterpret_cast<Verdict *>(got.data() + i * sizeof(Verdict)));
    }

  private:
    Buffer &buffer(u64 bytes) { return *buffers_.emplace_back(std::make_unique<Buffer>(driver_, bytes)); }

    // draw makes a shard of which about one byte in spoil_ elements is wrong, and judges it.
    void draw(Shard &shard, Verdict &verdict) {
        u64 width = u64(1) << random_.between(0, 4), elements = random_.one_in(8) ? 0 : random_.between(1, most_elements);
        u64 sentinel = 0x0101010101010101 * random_.between(1, 255);
        if (random_.one_in(4))
            sentinel = random_.next(); // no byte repeated
        Buffer &expected = buffer(elements * width + 1), &found = buffer(elements * width + 1), &counts = buffer(elements * 4 + 1);
        bool counted = random_.one_in(2);
        shard = {total_, found.address, expected.address, counted ? counts.address : 0, sentinel, width, 0};
        for (u64 element = 0; element < elements; element++) {
            u8 *value = expected.bytes.data() + element * width;
            draw_value(value, sentinel, width);
            u8 *there = found.bytes.data() + element * width;
            std::memcpy(there, value, width);
            u32 want = is_sentinel(value, sentinel, width) ? 0 : 1, count = want;
            if (spoil_ != 0 && random_.one_in(spoil_))
                there[random_.between(0, width - 1)] ^= 1 << random_.between(0, 7);
            if (spoil_ != 0 && random_.one_in(spoil_))
                count = random_.one_in(2) ? 1 - want : want + (u32(1) << random_.between(0, 31));
            std::memcpy(counts.bytes.data() + element * 4, &count, 4);
            judge(verdict, total_ + element, std::memcmp(there, value, width) != 0, counted && count != want);
        }
        total_ += elements;
        for (Buffer *changed : {&expected, &found, &counts})
            changed->upload();
    }

    // draw_value draws the sentinel, or nearly the sentinel, or anything.
    void draw_value(u8 *value, u64 sentinel, u64 width) {
        for (u64 i = 0; i < width; i++)
            value[i] = sentinel >> 8 * (i % 8);
        if (random_.one_in(3))
            return;
        if (random_.one_in(3))
            value[random_.between(0, width - 1)] ^= 1;
        else
            for (u64 i = 0; i < width; i++)
                value[i] = random_.next();
    }

    static bool is_sentinel(const u8 *value, u64 sentinel, u64 width) {
        for (u64 i = 0; i < width; i++)
            if (value[i] != u8(sentinel >> 8 * (i % 8)))
                return false;
        return true;
    }

    static void judge(Verdict &verdict, u64 item, bool wrong_value, bool wrong_count) {
        verdict.compared++;
        verdict.wrong_values += wrong_value;
        verdict.wrong_counts += wrong_count;
        if (wrong_value || wrong_count)
            verdict.first = std::min(verdict.first, item);
    }

    void launch() {
        Buffer table(driver_, shards_.size() * sizeof(Shard));
        std::memcpy(table.bytes.data(), shards_.data(), table.bytes.size());
        table.upload();
        u64 middle = random_.between(0, total_);
        u32 blocks = random_.between(1, 3), threads = random_.one_in(3) ? 256 : 32;
        driver_.launch("compare_shards", table.address, shards_.size(), 0, middle, blocks, threads);
        driver_.launch("compare_shards", table.address, shards_.size(), middle, total_, blocks, threads);
    }

    static void compare(const Verdict &want, const Verdict &got) {
        auto text = [](const Verdict &v) {
            return std::to_string(v.first) + " " + std::to_string(v.wrong_values) + " " + std::to_string(v.wrong_counts) + " " +
                   std::to_string(v.compared);
        };
        if (text(got) != text(want))
            throw Wrong{"verdict (first, values, counts, compared) " + text(got) + ", want " + text(want)};
    }

    Driver &driver_;
    Random &random_;
    std::vector<Shard> shards_;
    std::vector<Verdict> verdicts_;
    std::vector<std::unique_ptr<Buffer>> buffers_;
    u64 total_ = 0, spoil_;
};

} // namespace

void check_comparisons(Driver &driver, u64 seed, u64 cases) {
    for (u64 i = 0; i < cases; i++) {
        Random random(seed * 2000003 + i);
        try {
            Case(driver, random).check();
        } catch (const Wrong &wrong) {
            throw Wrong{"comparisons, seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " + wrong.problem};
        }
    }
}
