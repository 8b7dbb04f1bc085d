// The source engine: replay.cu as compiled for the host, a loop over the grid around it.

#include "ptx.h"
#include "shim.h"

namespace standin {

Index threadIdx, blockIdx, blockDim, gridDim;
Access *access;

namespace {

class CompiledKernel : public Kernel {
  public:
    CompiledKernel(const Entry &entry, const SourceKernel &kernel) : Kernel(entry), kernel_(kernel) {}

    void run(const Launch &launch) override {
        access = &launch.access;
        gridDim = launch.grid;
        blockDim = launch.block;
        for_each(gridDim, blockIdx, [&] { for_each(blockDim, threadIdx, [&] { kernel_.run(launch.arguments); }); });
    }

  private:
    SourceKernel kernel_;
};

} // namespace

static SourceKernel compiled(const Entry &entry) {
    for (const SourceKernel &kernel : source_table()) {
        if (entry.name != kernel.name)
            continue;
        if (entry.arguments != kernel.arguments)
            throw Refusal{entry.name + ": the module's has other arguments than the source's"};
        return kernel;
    }
    throw Refusal{entry.name + ": in the module, but not in the source"};
}

Kernels source_kernels(const std::string &ptx) {
    Kernels kernels;
    for (const ptx::Function &function : ptx::parse(ptx))
        kernels.push_back(std::make_shared<CompiledKernel>(function.entry, compiled(function.entry)));
    if (kernels.size() != source_table().size())
        throw Refusal{"the module lacks kernels of the source"};
    return kernels;
}

} // namespace standin
