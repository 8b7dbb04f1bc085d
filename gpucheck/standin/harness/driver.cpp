#include "harness.h"

#include <dlfcn.h>
#include <fstream>
#include <sstream>

void must(int status, const char *call) {
    if (status != 0)
        throw Wrong{std::string(call) + ": status " + std::to_string(status)};
}

void *Driver::find_any(const char *name) {
    void *function = dlsym(library_, name);
    if (function == nullptr)
        throw Wrong{std::string("the library lacks ") + name};
    return function;
}

std::string read_file(const char *path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

Driver::Driver(const char *library, const char *ptx) : library_(dlopen(library, RTLD_NOW)) {
    if (library_ == nullptr)
        throw Wrong{dlerror()};
    std::string image = read_file(ptx);
    must(find<int (*)(unsigned)>("cuInit")(0), "cuInit");
    must(find<int (*)(void **, unsigned, int)>("cuCtxCreate_v2")(&context_, 0, 0), "cuCtxCreate");
    must(find<int (*)(void **, const void *)>("cuModuleLoadData")(&module_, image.c_str()), "cuModuleLoadData");
}

Driver::~Driver() {
    find<int (*)(void *)>("cuModuleUnload")(module_);
    find<int (*)(void *)>("cuCtxDestroy_v2")(context_);
}

u64 Driver::allocate(u64 bytes) {
    u64 address = 0;
    must(find<int (*)(u64 *, std::size_t)>("cuMemAlloc_v2")(&address, bytes), "cuMemAlloc");
    return address;
}

void Driver::release(u64 address) { find<int (*)(u64)>("cuMemFree_v2")(address); }

void Driver::upload(u64 to, const void *from, u64 bytes) {
    must(find<int (*)(u64, const void *, std::size_t)>("cuMemcpyHtoD_v2")(to, from, bytes), "cuMemcpyHtoD");
}

void Driver::download(void *to, u64 from, u64 bytes) {
    must(find<int (*)(void *, u64, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes), "cuMemcpyDtoH");
}

using LaunchKernel = int (*)(void *, u32, u32, u32, u32, u32, u32, u32, void *, void **, void **);

void Driver::launch(const char *kernel, u64 table, u64 count, u64 begin, u64 end, u32 blocks, u32 threads) {
    void *function = nullptr;
    must(find<int (*)(void **, void *, const char *)>("cuModuleGetFunction")(&function, module_, kernel), kernel);
    void *arguments[] = {&table, &count, &begin, &end};
    int status = find<LaunchKernel>("cuLaunchKernel")(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
    must(status, "cuLaunchKernel");
    status = find<int (*)()>("cuCtxSynchronize")();
    if (status != 0)
        throw Wrong{std::string("status ") + std::to_string(status) + ": " + find<const char *(*)()>("standinProblem")()};
}

u64 items_per_run(const Segment &segment) {
    if (segment.axes == 0)
        return 1;
    u64 elements = segment.extent[segment.axes - 1];
    if (segment.form == 0 || elements == 0)
        return elements;
    return (elements * segment.width + 31 - segment.width) / 16;
}

u64 items_of(const Segment &segment) {
    u64 items = items_per_run(segment);
    for (u32 axis = 0; axis + 1 < segment.axes; axis++)
        items *= segment.extent[axis];
    return items;
}
