// What an engine does in a second, and what a window takes. Here alone the stand-in must be the driver library.

#include "harness.h"

#include <ctime>
#include <functional>

namespace {

// seconds_of measures the processor's time, so that a busy machine gives the same figures.
double seconds_of(const std::function<void()> &work) {
    std::clock_t begin = std::clock();
    work();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

Segment segment_of(Buffer &source, Buffer &target, u16 form, u64 runs) {
    Segment s = {};
    s.source = source.address, s.target = target.address;
    s.width = 4, s.axes = 2, s.form = form;
    s.extent[0] = runs, s.extent[1] = source.bytes.size() / 4 / runs;
    s.source_stride[0] = s.target_stride[0] = s.extent[1];
    s.source_stride[1] = s.target_stride[1] = 1;
    s.items_per_run = items_per_run(s);
    return s;
}

// instructions_of launches a kernel over a table and returns how many instructions that took for each item.
template <typename Entry>
double instructions_of(Driver &driver, const char *kernel, const std::vector<Entry> &entries, u64 begin, u64 items) {
    auto instructions = driver.find<unsigned long long (*)()>("standinInstructions");
    Buffer table(driver, entries.size() * sizeof(Entry));
    std::memcpy(table.bytes.data(), entries.data(), table.bytes.size());
    table.upload();
    unsigned long long before = instructions();
    driver.launch(kernel, table.address, entries.size(), begin, begin + items, 1, 256);
    return double(instructions() - before) / items;
}

void need_at_most(double instructions, double most, const std::string &what) {
    if (instructions > most)
        throw Wrong{"effort, " + what + ": " + std::to_string(instructions) + " instructions, want " + std::to_string(most)};
}

} // namespace

// The bounds are what was counted when the kernel was written. The items' numbers go across a multiple of 2^32.
void check_effort(Driver &driver) {
    Buffer source(driver, 1 << 18, 1), target(driver, 1 << 18), verdict(driver, sizeof(Verdict));
    const struct {
        const char *what;
        u64 runs;
        double most; // instructions a window
    } shapes[] = {{"one run", 1, 23.26}, {"runs of two tiles", 64, 65.56}, {"runs of half a tile", 256, 105.01}};
    for (const auto &shape : shapes) {
        Segment s = segment_of(source, target, 1, shape.runs);
        s.first = (u64(5) << 32) - 1000;
        need_at_most(instructions_of<Segment>(driver, "copy_segments", {s}, s.first, items_of(s)), shape.most, shape.what);
    }
    Shard shard = {0, source.address, source.address, 0, 0, 4, verdict.address}, next = {u64(1) << 33, 0, 0, 0, 0, 4, 0};
    need_at_most(instructions_of<Shard>(driver, "compare_shards", {shard, next}, 0, 1 << 16), 56.24, "elements of a shard");
}

void measure(Driver &driver) {
    const u64 launches = 8;
    Buffer source(driver, 4 << 20, 1), target(driver, 4 << 20), table(driver, sizeof(Segment));
    auto instructions = driver.find<unsigned long long (*)()>("standinInstructions");
    for (u16 form : {0, 1}) {
        Segment s = segment_of(source, target, form, 64);
        std::memcpy(table.bytes.data(), &s, sizeof s);
        table.upload();
        unsigned long long before = instructions();
        double seconds = seconds_of([&] {
            for (u64 i = 0; i < launches; i++)
                driver.launch("copy_segments", table.address, 1, 0, items_of(s), 4, 256);
        });
        std::printf("form %u: %.1f million elements/s, %.0f million instructions/s\n", form, 1e-6 * launches * (1 << 20) / seconds,
                    1e-6 * (instructions() - before) / seconds);
    }
}
