// replay.cu, compiled for the host.

#include "shim.h"

namespace standin {

namespace replay {
#include "../kernel/replay.cu"
} // namespace replay

std::vector<SourceKernel> source_table() {
    return {
        source_kernel<replay::copy_segments>("copy_segments"),
        source_kernel<replay::compare_shards>("compare_shards"),
    };
}

} // namespace standin
