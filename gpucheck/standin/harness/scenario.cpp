// The calls of a small replay, each printed with its status: how a driver library behaves when something fails.

#include "harness.h"

#include <dlfcn.h>

namespace {

// A Script makes calls by name and prints them as "cuMemAlloc 0".
class Script {
  public:
    explicit Script(const char *library) : library_(dlopen(library, RTLD_NOW)) {
        if (library_ == nullptr)
            throw Wrong{dlerror()};
    }

    template <typename... Arguments> int call(const std::string &name, Arguments... arguments) {
        void *function = dlsym(library_, name.c_str());
        if (function == nullptr)
            throw Wrong{"the library lacks " + name};
        int status = reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
        std::printf("%s %d\n", name.substr(0, name.find("_v")).c_str(), status);
        return status;
    }

    long long live(const char *kind) {
        return reinterpret_cast<long long (*)(const char *)>(dlsym(library_, "standinLive"))(kind);
    }

    const char *problem() { return reinterpret_cast<const char *(*)()>(dlsym(library_, "standinProblem"))(); }

  private:
    void *library_;
};

const u64 elements = 64, width = 4;

Segment segment_of(const std::string &fault, u64 source, u64 target, u64 elsewhere) {
    Segment s = {};
    s.source = source, s.target = target;
    s.width = width, s.axes = 1, s.extent[0] = elements;
    s.source_stride[0] = s.target_stride[0] = 1;
    s.items_per_run = items_per_run(s);
    if (fault == "misaligned")
        s.target += 2;
    if (fault == "outside")
        s.target_offset = 1;
    if (fault == "freed" || fault == "peer")
        s.source = elsewhere;
    return s;
}

} // namespace

void run_scenario(const char *library, const char *ptx, const std::string &name) {
    Script script(library);
    std::string image = read_file(ptx);
    void *context = nullptr, *other = nullptr, *module = nullptr, *function = nullptr, *stream = nullptr;
    u64 source = 0, target = 0, table = 0, elsewhere = 0;
    script.call("cuInit", 0u);
    script.call("cuCtxCreate_v2", &other, 0u, name == "peer" ? 1 : 0);
    script.call("cuMemAlloc_v2", &elsewhere, elements * width);
    if (name == "freed")
        script.call("cuMemFree_v2", elsewhere);
    script.call("cuCtxCreate_v2", &context, 0u, 0);
    script.call("cuModuleLoadData", &module, image.c_str());
    script.call("cuModuleGetFunction", &function, module, "copy_segments");
    script.call("cuStreamCreate", &stream, 0u);
    script.call("cuMemAlloc_v2", &source, elements * width);
    script.call("cuMemAlloc_v2", &target, elements * width);
    script.call("cuMemAlloc_v2", &table, u64(sizeof(Segment)));
    Segment segment = segment_of(name, source, target, elsewhere);
    script.call("cuMemcpyHtoD_v2", table, static_cast<const void *>(&segment), u64(sizeof segment));
    u64 count = 1, begin = 0, end = elements;
    void *arguments[] = {&table, &count, &begin, &end};
    void **extra = nullptr;
    script.call("cuLaunchKernel", function, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, static_cast<void **>(arguments), extra);
    script.call("cuMemsetD8_v2", source, u8(0), u64(1));
    script.call("cuStreamSynchronize", stream);
    std::printf("problem: %s\n", script.problem());
    script.call("cuMemcpyDtoD_v2", source, target, u64(width));
    script.call("cuStreamDestroy_v2", stream);
    for (u64 address : {source, target, table})
        script.call("cuMemFree_v2", address);
    if (name != "freed")
        script.call("cuMemFree_v2", elsewhere);
    script.call("cuModuleUnload", module);
    script.call("cuCtxDestroy_v2", context);
    script.call("cuCtxDestroy_v2", other);
    for (const char *kind : {"allocations", "contexts", "modules", "streams", "events"})
        std::printf("live %s %lld\n", kind, script.live(kind));
}
