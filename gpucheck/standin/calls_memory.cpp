// Allocations, copies and fills. Copies are checked against live allocations row by row.

#include "process.h"

#include <cstring>

using namespace standin;

static const u64 most_pitch = 2147483647; // CU_DEVICE_ATTRIBUTE_MAX_PITCH

static u8 *bytes_at(u64 address) { return reinterpret_cast<u8 *>(address); }
static bool is_live(u64 address, u64 bytes) { return bytes == 0 || process().memory.find(address, bytes) != nullptr; }

EXPORT int cuMemAlloc_v2(u64 *address, std::size_t bytes) {
    return call("cuMemAlloc", Kind::work, [&] {
        if (bytes == 0)
            return invalid_value;
        *address = process().memory.allocate(current()->device, bytes);
        return *address == 0 ? out_of_memory : success;
    });
}

EXPORT int cuMemFree_v2(u64 address) {
    return call("cuMemFree", Kind::release, [&] {
        return address == 0 || process().memory.release(address) ? success : invalid_value;
    });
}

EXPORT int cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
    return call("cuMemGetInfo", Kind::work, [&] {
        *total = Memory::capacity;
        *free = *total - process().memory.used(current()->device);
        return success;
    });
}

EXPORT int cuMemGetAddressRange_v2(u64 *base, std::size_t *bytes, u64 address) {
    return call("cuMemGetAddressRange", Kind::work, [&] {
        const Allocation *allocation = process().memory.find(address, 1);
        if (allocation == nullptr)
            return not_found;
        *base = allocation->begin;
        *bytes = allocation->end - allocation->begin;
        return success;
    });
}

// A copy that does not wait leaves a kernel's fault to a later call.
static int copy(const char *name, Kind kind, u64 target, bool check_target, u64 source, bool check_source, u64 bytes) {
    return call(name, kind, [&] {
        if ((check_target && !is_live(target, bytes)) || (check_source && !is_live(source, bytes)))
            return invalid_value;
        if (process().pending == success && bytes > 0)
            std::memmove(bytes_at(target), bytes_at(source), bytes);
        return success;
    });
}

static u64 host(const void *memory) { return reinterpret_cast<u64>(memory); }

EXPORT int cuMemcpyHtoD_v2(u64 target, const void *source, std::size_t bytes) {
    return copy("cuMemcpyHtoD", Kind::waiting, target, true, host(source), false, bytes);
}
EXPORT int cuMemcpyDtoH_v2(void *target, u64 source, std::size_t bytes) {
    return copy("cuMemcpyDtoH", Kind::waiting, host(target), false, source, true, bytes);
}
EXPORT int cuMemcpyDtoD_v2(u64 target, u64 source, std::size_t bytes) {
    return copy("cuMemcpyDtoD", Kind::work, target, true, source, true, bytes);
}
EXPORT int cuMemcpyHtoDAsync_v2(u64 target, const void *source, std::size_t bytes, void *) {
    return copy("cuMemcpyHtoDAsync", Kind::work, target, true, host(source), false, bytes);
}
EXPORT int cuMemcpyDtoHAsync_v2(void *target, u64 source, std::size_t bytes, void *) {
    return copy("cuMemcpyDtoHAsync", Kind::work, host(target), false, source, true, bytes);
}
EXPORT int cuMemcpyDtoDAsync_v2(u64 target, u64 source, std::size_t bytes, void *) {
    return copy("cuMemcpyDtoDAsync", Kind::work, target, true, source, true, bytes);
}

// is_on reports whether an allocation is on the device of a context.
static bool is_on(u64 address, void *context) {
    const Allocation *allocation = process().memory.find(address, 1);
    Context *owner = handle(process().contexts, context);
    return allocation != nullptr && owner != nullptr && allocation->device == owner->device;
}

static int copy_peer(const char *name, u64 target, void *target_context, u64 source, void *source_context, u64 bytes) {
    return call(name, Kind::work, [&] {
        if (!is_live(target, bytes) || !is_live(source, bytes))
            return invalid_value;
        if (!is_on(target, target_context) || !is_on(source, source_context))
            return invalid_context;
        if (process().pending == success)
            std::memmove(bytes_at(target), bytes_at(source), bytes);
        return success;
    });
}

EXPORT int cuMemcpyPeer(u64 target, void *target_context, u64 source, void *source_context, std::size_t bytes) {
    return copy_peer("cuMemcpyPeer", target, target_context, source, source_context, bytes);
}
EXPORT int cuMemcpyPeerAsync(u64 target, void *target_context, u64 source, void *source_context, std::size_t bytes, void *) {
    return copy_peer("cuMemcpyPeerAsync", target, target_context, source, source_context, bytes);
}

// volume reads a plane as a volume of one plane.
static Volume volume(const Plane &plane, u64 height) {
    return {plane.x_bytes, plane.y, 0, 0, plane.type, plane.host, plane.device, plane.array, nullptr, plane.pitch, plane.y + height};
}

static bool on_device(const Volume &side) { return side.type == device_memory || side.type == unified_memory; }

// row returns where row y of slice z begins. A pitch or height of 0 is the copy's own.
static u64 row(const Volume &side, const Memcpy3D &copy, u64 y, u64 z) {
    u64 pitch = side.pitch != 0 ? side.pitch : side.x_bytes + copy.width_bytes;
    u64 height = side.height != 0 ? side.height : side.y + copy.height;
    u64 base = on_device(side) ? side.device : host(side.host);
    return base + ((side.z + z) * height + side.y + y) * pitch + side.x_bytes;
}

// check_side returns the status of a side that no copy can have.
static Status check_side(const Volume &side, const Memcpy3D &copy) {
    if (side.type == array_memory)
        return not_supported;
    bool narrow = side.pitch != 0 && side.pitch < side.x_bytes + copy.width_bytes && (copy.height > 1 || copy.depth > 1);
    bool low = side.height != 0 && side.height < side.y + copy.height && copy.depth > 1;
    if (narrow || low || side.pitch > most_pitch || side.lod != 0)
        return invalid_value;
    for (u64 z = 0; on_device(side) && z < copy.depth; z++)
        for (u64 y = 0; y < copy.height; y++)
            if (!is_live(row(side, copy, y, z), copy.width_bytes))
                return invalid_value;
    return success;
}

static int copy_volume(const char *name, Kind kind, const Memcpy3D &copy) {
    return call(name, kind, [&] {
        for (const Volume *side : {&copy.source, &copy.target})
            if (Status status = check_side(*side, copy); status != success)
                return status;
        if (process().pending != success)
            return success;
        for (u64 z = 0; z < copy.depth; z++)
            for (u64 y = 0; y < copy.height; y++)
                std::memmove(bytes_at(row(copy.target, copy, y, z)), bytes_at(row(copy.source, copy, y, z)), copy.width_bytes);
        return success;
    });
}

// A copy with the host waits for the device.
static Kind kind_of(const Volume &source, const Volume &target) {
    return on_device(source) && on_device(target) ? Kind::work : Kind::waiting;
}

static int copy_plane(const char *name, const Memcpy2D &plane, bool async) {
    Memcpy3D copy = {volume(plane.source, plane.height), volume(plane.target, plane.height), plane.width_bytes, plane.height, 1};
    return copy_volume(name, async ? Kind::work : kind_of(copy.source, copy.target), copy);
}

EXPORT int cuMemcpy2D_v2(const Memcpy2D *plane) { return copy_plane("cuMemcpy2D", *plane, false); }
EXPORT int cuMemcpy2DUnaligned_v2(const Memcpy2D *plane) { return copy_plane("cuMemcpy2DUnaligned", *plane, false); }
EXPORT int cuMemcpy2DAsync_v2(const Memcpy2D *plane, void *) { return copy_plane("cuMemcpy2DAsync", *plane, true); }
EXPORT int cuMemcpy3D_v2(const Memcpy3D *c) { return copy_volume("cuMemcpy3D", kind_of(c->source, c->target), *c); }
EXPORT int cuMemcpy3DAsync_v2(const Memcpy3D *c, void *) { return copy_volume("cuMemcpy3DAsync", Kind::work, *c); }
EXPORT int cuMemcpy3DPeer(const Memcpy3D *c) { return copy_volume("cuMemcpy3DPeer", kind_of(c->source, c->target), *c); }
EXPORT int cuMemcpy3DPeerAsync(const Memcpy3D *c, void *) { return copy_volume("cuMemcpy3DPeerAsync", Kind::work, *c); }

template <typename T> static int fill(const char *name, u64 address, T value, u64 count) {
    return call(name, Kind::work, [&] {
        if (address % sizeof(T) != 0 || !is_live(address, count * sizeof(T)))
            return invalid_value;
        if (process().pending == success)
            for (u64 i = 0; i < count; i++)
                std::memcpy(bytes_at(address + i * sizeof(T)), &value, sizeof(T));
        return success;
    });
}

EXPORT int cuMemsetD8_v2(u64 address, u8 value, std::size_t count) { return fill("cuMemsetD8", address, value, count); }
EXPORT int cuMemsetD16_v2(u64 address, u16 value, std::size_t count) { return fill("cuMemsetD16", address, value, count); }
EXPORT int cuMemsetD32_v2(u64 address, u32 value, std::size_t count) { return fill("cuMemsetD32", address, value, count); }
EXPORT int cuMemsetD8Async(u64 address, u8 value, std::size_t count, void *) { return fill("cuMemsetD8Async", address, value, count); }
EXPORT int cuMemsetD16Async(u64 address, u16 value, std::size_t count, void *) { return fill("cuMemsetD16Async", address, value, count); }
EXPORT int cuMemsetD32Async(u64 address, u32 value, std::size_t count, void *) { return fill("cuMemsetD32Async", address, value, count); }
