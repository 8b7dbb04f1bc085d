// What an engine does in a second, as printed lines. Nothing is judged.

#include "harness.h"

#include <chrono>
#include <functional>

namespace {

double seconds_of(const std::function<void()> &work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Segment segment_of(Buffer &source, Buffer &target, u16 form) {
    Segment s = {};
    s.source = source.address, s.target = target.address;
    s.width = 4, s.axes = 2, s.form = form;
    s.extent[0] = 64, s.extent[1] = source.bytes.size() / 4 / 64;
    s.source_stride[0] = s.target_stride[0] = s.extent[1];
    s.source_stride[1] = s.target_stride[1] = 1;
    s.items_per_run = items_per_run(s);
    return s;
}

} // namespace

void measure(Driver &driver) {
    Buffer source(driver, 4 << 20, 1), target(driver, 4 << 20), table(driver, sizeof(Segment));
    auto instructions = driver.find<unsigned long long (*)()>("standinInstructions");
    for (u16 form : {0, 1}) {
        Segment s = segment_of(source, target, form);
        std::memcpy(table.bytes.data(), &s, sizeof s);
        table.upload();
        unsigned long long before = instructions();
        double seconds = seconds_of([&] { driver.launch("copy_segments", table.address, 1, 0, items_of(s), 4, 256); });
        std::printf("form %u: %.1f million elements/s, %.0f million instructions/s\n", form, 1e-6 * (1 << 20) / seconds,
                    1e-6 * (instructions() - before) / seconds);
    }
}
