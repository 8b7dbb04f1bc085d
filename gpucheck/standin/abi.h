// The part of the CUDA driver's binary interface that the stand-in answers: numbers and layouts of cuda.h 11.8 to 12.

#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum Status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    no_device = 100,
    invalid_device = 101,
    invalid_context = 201,
    ecc_uncorrectable = 214,
    invalid_ptx = 218,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    misaligned_address = 716,
    launch_failed = 719,
    not_supported = 801,
    unknown = 999, // what calls answer after a device fell off the bus
};

enum MemoryType : int { host_memory = 1, device_memory = 2, array_memory = 3, unified_memory = 4 };

// One side of a 2-D copy: CUDA_MEMCPY2D without its extents.
struct Plane {
    std::size_t x_bytes, y;
    MemoryType type;
    u8 *host;
    u64 device;
    void *array;
    std::size_t pitch;
};

struct Memcpy2D {
    Plane source, target;
    std::size_t width_bytes, height;
};
static_assert(sizeof(Memcpy2D) == 128, "CUDA_MEMCPY2D");

// One side of a 3-D copy: CUDA_MEMCPY3D, or CUDA_MEMCPY3D_PEER where context is set.
struct Volume {
    std::size_t x_bytes, y, z, lod;
    MemoryType type;
    u8 *host;
    u64 device;
    void *array;
    void *context;
    std::size_t pitch, height;
};

struct Memcpy3D {
    Volume source, target;
    std::size_t width_bytes, height, depth;
};
static_assert(sizeof(Memcpy3D) == 200, "CUDA_MEMCPY3D");

} // namespace standin
