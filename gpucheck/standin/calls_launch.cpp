// Modules, launches, streams and events. A launch has run when it returns; its fault comes up later.

#include "process.h"

#include <chrono>
#include <cstdio>

using namespace standin;

EXPORT int cuModuleLoadData(void **module, const void *image) {
    return call("cuModuleLoadData", Kind::work, [&]() -> int {
        std::string ptx = static_cast<const char *>(image);
        Module *loaded = new Module;
        try {
            loaded->kernels = process().interpret ? interpreted_kernels(ptx) : source_kernels(ptx);
        } catch (const Refusal &refusal) {
            delete loaded;
            process().problem = refusal.problem;
            return invalid_ptx;
        }
        process().modules.insert(loaded);
        *module = loaded;
        return success;
    });
}

// Options of the compiler change nothing here.
EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
    return cuModuleLoadData(module, image);
}

EXPORT int cuModuleUnload(void *name) {
    return call("cuModuleUnload", Kind::release, [&] {
        Module *module = handle(process().modules, name);
        if (module == nullptr)
            return invalid_handle;
        process().modules.erase(module);
        delete module;
        return success;
    });
}

EXPORT int cuModuleGetFunction(void **function, void *name, const char *kernel) {
    return call("cuModuleGetFunction", Kind::work, [&] {
        Module *module = handle(process().modules, name);
        if (module == nullptr)
            return invalid_handle;
        for (const auto &loaded : module->kernels)
            if (loaded->entry.name == kernel) {
                *function = loaded.get();
                return success;
            }
        return not_found;
    });
}

static Kernel *kernel_of(void *function) {
    for (Module *module : process().modules)
        for (const auto &kernel : module->kernels)
            if (kernel.get() == function)
                return kernel.get();
    return nullptr;
}

static u64 size(Index index) { return u64(index.x) * index.y * index.z; }

static void run(Kernel &kernel, const Launch &launch) {
    try {
        kernel.run(launch);
    } catch (const Fault &fault) {
        process().pending = fault.status;
        process().problem = kernel.entry.name + ": " + fault.problem;
    }
}

static int live_stream(void *stream) { return stream == nullptr || handle(process().streams, stream) != nullptr; }

EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream, void **arguments, void **extra) {
    return call("cuLaunchKernel", Kind::work, [&] {
        Kernel *kernel = kernel_of(function);
        if (kernel == nullptr || !live_stream(stream))
            return invalid_handle;
        Index grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
        if (shared_bytes != 0 || extra != nullptr)
            return not_supported;
        if (size(grid) == 0 || size(block) == 0 || size(block) > kernel->entry.max_threads || arguments == nullptr)
            return invalid_value;
        Access access(process().memory, current()->peers);
        if (process().pending == success)
            run(*kernel, {grid, block, arguments, access});
        return success;
    });
}

EXPORT int cuStreamCreate(void **stream, unsigned) {
    return call("cuStreamCreate", Kind::work, [&] {
        Stream *made = new Stream{current()->device};
        process().streams.insert(made);
        *stream = made;
        return success;
    });
}

EXPORT int cuStreamDestroy_v2(void *name) {
    return call("cuStreamDestroy", Kind::release, [&] {
        Stream *stream = handle(process().streams, name);
        if (stream == nullptr)
            return invalid_handle;
        process().streams.erase(stream);
        delete stream;
        return success;
    });
}

static int wait_stream(const char *name, void *stream) {
    return call(name, Kind::waiting, [&] { return live_stream(stream) ? success : invalid_handle; });
}

EXPORT int cuStreamSynchronize(void *stream) { return wait_stream("cuStreamSynchronize", stream); }
EXPORT int cuStreamQuery(void *stream) { return wait_stream("cuStreamQuery", stream); }

EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned) {
    return call("cuStreamWaitEvent", Kind::work, [&] {
        return live_stream(stream) && handle(process().events, event) != nullptr ? success : invalid_handle;
    });
}

EXPORT int cuEventCreate(void **event, unsigned) {
    return call("cuEventCreate", Kind::work, [&] {
        Event *made = new Event{false, 0};
        process().events.insert(made);
        *event = made;
        return success;
    });
}

EXPORT int cuEventDestroy_v2(void *name) {
    return call("cuEventDestroy", Kind::release, [&] {
        Event *event = handle(process().events, name);
        if (event == nullptr)
            return invalid_handle;
        process().events.erase(event);
        delete event;
        return success;
    });
}

static double now_milliseconds() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

EXPORT int cuEventRecord(void *name, void *stream) {
    return call("cuEventRecord", Kind::work, [&] {
        Event *event = handle(process().events, name);
        if (event == nullptr || !live_stream(stream))
            return invalid_handle;
        *event = {true, now_milliseconds()};
        return success;
    });
}

static int wait_event(const char *name, void *event) {
    return call(name, Kind::waiting, [&] { return handle(process().events, event) != nullptr ? success : invalid_handle; });
}

EXPORT int cuEventSynchronize(void *event) { return wait_event("cuEventSynchronize", event); }
EXPORT int cuEventQuery(void *event) { return wait_event("cuEventQuery", event); }

EXPORT int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
    return call("cuEventElapsedTime", Kind::waiting, [&] {
        Event *first = handle(process().events, from), *second = handle(process().events, to);
        if (first == nullptr || second == nullptr || !first->recorded || !second->recorded)
            return invalid_handle;
        *milliseconds = float(second->milliseconds - first->milliseconds);
        return success;
    });
}
