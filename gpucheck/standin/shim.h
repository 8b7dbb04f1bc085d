// What CUDA C needs to be read by a host compiler: replay.cu is included after this.

#pragma once

#include "kernel.h"

#include <utility>

#define SHARDPROOF_HOST
#define KERNEL static void
#define __device__ static inline

namespace standin {

// The launch that is under way: the stand-in runs one thread at a time.
extern Index threadIdx, blockIdx, blockDim, gridDim;
extern Access *access;

template <typename T> T load(const T *from) {
    access->check(reinterpret_cast<u64>(from), sizeof(T));
    return *from;
}

template <typename T> void store(T *to, T value) {
    access->check(reinterpret_cast<u64>(to), sizeof(T));
    *to = value;
}

template <typename T> void count_one(T *counter) { store(counter, T(load(counter) + 1)); }
template <typename T> void add(T *sum, T n) { store(sum, T(load(sum) + n)); }
template <typename T> void lower(T *least, T n) { store(least, load(least) < n ? load(least) : n); }

// A SourceKernel is one kernel as compiled for the host.
struct SourceKernel {
    const char *name;
    u32 arguments;
    void (*run)(void **arguments);
};

// source_table lists the kernels that were compiled in.
std::vector<SourceKernel> source_table();

// Called passes a launch's arguments to a kernel, whatever its signature.
template <auto kernel, typename Signature = decltype(kernel)> struct Called;
template <auto kernel, typename... Arguments> struct Called<kernel, void (*)(Arguments...)> {
    static constexpr u32 count = sizeof...(Arguments);
    static void run(void **arguments) { pass(arguments, std::index_sequence_for<Arguments...>()); }
    template <std::size_t... i> static void pass(void **arguments, std::index_sequence<i...>) {
        kernel(*static_cast<Arguments *>(arguments[i])...);
    }
};

template <auto kernel> SourceKernel source_kernel(const char *name) {
    return {name, Called<kernel>::count, Called<kernel>::run};
}

} // namespace standin
