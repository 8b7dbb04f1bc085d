// What an engine does in a second, and what a window takes. Here alone the stand-in must be the driver library.

#include "harness.h"

#include <chrono>
#include <functional>

namespace {

double seconds_of(const std::function<void()> &work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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

// instructions_of launches a segment and returns how many instructions that took for each item.
double instructions_of(Driver &driver, const Segment &segment) {
    auto instructions = driver.find<unsigned long long (*)()>("standinInstructions");
    Buffer table(driver, sizeof segment);
    std::memcpy(table.bytes.data(), &segment, sizeof segment);
    table.upload();
    unsigned long long before = instructions();
    driver.launch("copy_segments", table.address, 1, 0, items_of(segment), 1, 256);
    return double(instructions() - before) / items_of(segment);
}

} // namespace

// The bounds are a tenth above what was counted when the kernel was written.
void check_effort(Driver &driver) {
    Buffer source(driver, 1 << 18, 1), target(driver, 1 << 18);
    const struct {
        const char *what;
        u64 runs;
        double most; // instructions a window
    } shapes[] = {{"one run", 1, 26}, {"runs of two tiles", 64, 72}, {"runs of half a tile", 256, 116}};
    for (const auto &shape : shapes) {
        Segment s = segment_of(source, target, 1, shape.runs);
        double instructions = instructions_of(driver, s);
        if (instructions > shape.most)
            throw Wrong{std::string("effort, ") + shape.what + ": " + std::to_string(instructions) + " instructions a window"};
    }
}

void measure(Driver &driver) {
    Buffer source(driver, 4 << 20, 1), target(driver, 4 << 20), table(driver, sizeof(Segment));
    auto instructions = driver.find<unsigned long long (*)()>("standinInstructions");
    for (u16 form : {0, 1}) {
        Segment s = segment_of(source, target, form, 64);
        std::memcpy(table.bytes.data(), &s, sizeof s);
        table.upload();
        unsigned long long before = instructions();
        double seconds = seconds_of([&] { driver.launch("copy_segments", table.address, 1, 0, items_of(s), 4, 256); });
        std::printf("form %u: %.1f million elements/s, %.0f million instructions/s\n", form, 1e-6 * (1 << 20) / seconds,
                    1e-6 * (instructions() - before) / seconds);
    }
}
