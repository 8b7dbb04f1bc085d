// What both engines run: a kernel by name, over a grid.

#pragma once

#include "memory.h"

#include <memory>
#include <string>
#include <vector>

namespace standin {

struct Index {
    u32 x, y, z;
};

struct Launch {
    Index grid, block;
    void **arguments; // one pointer an argument, each to 8 bytes
    Access &access;
};

// An Entry is what a module says of one kernel without its instructions.
struct Entry {
    std::string name;
    u32 arguments;   // of 8 bytes
    u32 max_threads; // of a block
};

// A Kernel runs a launch thread after thread, block after block. It throws the Fault that ends it.
class Kernel {
  public:
    explicit Kernel(const Entry &entry) : entry(entry) {}
    virtual ~Kernel() = default;
    virtual void run(const Launch &launch) = 0;

    const Entry entry;
};

// for_each calls body with every index below a size, x innermost.
template <typename Body> void for_each(Index size, Index &index, Body body) {
    for (index.z = 0; index.z < size.z; index.z++)
        for (index.y = 0; index.y < size.y; index.y++)
            for (index.x = 0; index.x < size.x; index.x++)
                body();
}

// A Refusal says why a module does not load.
struct Refusal {
    std::string problem;
};

using Kernels = std::vector<std::shared_ptr<Kernel>>;

// interpreted_kernels returns the kernels of a PTX module, to be run instruction by instruction.
// It throws a Refusal where the module has an instruction or form that the interpreter does not know.
Kernels interpreted_kernels(const std::string &ptx);

// source_kernels returns replay.cu's kernels as compiled for the host. Each must be in the PTX module, and no other.
Kernels source_kernels(const std::string &ptx);

// instructions is how many the interpreter has run since the process began.
u64 instructions();

} // namespace standin
