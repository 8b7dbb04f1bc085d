// Devices, contexts and peers.

#include "process.h"

#include <cstdio>
#include <cstring>

using namespace standin;

static const int driver_version = 11080;

static bool is_device(int device) { return device >= 0 && device < process().devices; }

EXPORT int cuDriverGetVersion(int *version) {
    *version = driver_version; // a driver answers this before cuInit too
    return success;
}

EXPORT int cuDeviceGetCount(int *count) {
    return call("cuDeviceGetCount", Kind::query, [&] { return *count = process().devices, success; });
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
    return call("cuDeviceGet", Kind::query, [&] {
        if (!is_device(ordinal))
            return invalid_device;
        *device = ordinal;
        return success;
    });
}

EXPORT int cuDeviceGetName(char *name, int size, int device) {
    return call("cuDeviceGetName", Kind::query, [&] {
        if (!is_device(device))
            return invalid_device;
        const char *engine = process().interpret ? "interpreted PTX" : "kernel source";
        std::snprintf(name, size, "stand-in %d on host memory (%s), not a GPU", device, engine);
        return success;
    });
}

EXPORT int cuDeviceGetUuid(u8 *uuid, int device) {
    return call("cuDeviceGetUuid", Kind::query, [&] {
        if (!is_device(device))
            return invalid_device;
        std::memset(uuid, 0, 16);
        std::memcpy(uuid, "stand-in", 8);
        uuid[15] = device;
        return success;
    });
}

EXPORT int cuDeviceTotalMem_v2(std::size_t *bytes, int device) {
    return call("cuDeviceTotalMem", Kind::query, [&] {
        if (!is_device(device))
            return invalid_device;
        *bytes = Memory::capacity;
        return success;
    });
}

// The attributes that size a launch or name a device, by CUdevice_attribute.
static const std::map<int, int> attributes = {
    {1, 1024},         // most threads of a block
    {2, 1024},         // of them on x
    {5, 2147483647},   // most blocks of a grid, on x
    {10, 32},          // threads of a warp
    {11, 2147483647},  // bytes of a copy's pitch
    {16, 2},           // multiprocessors
    {39, 2048},        // most threads of each
    {41, 1},           // one address space with the host
    {75, 7}, {76, 0},  // compute capability
};

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    return call("cuDeviceGetAttribute", Kind::query, [&] {
        auto found = attributes.find(attribute);
        if (!is_device(device))
            return invalid_device;
        if (found == attributes.end())
            return not_supported;
        *value = found->second;
        return success;
    });
}

EXPORT int cuDeviceCanAccessPeer(int *can, int device, int peer) {
    return call("cuDeviceCanAccessPeer", Kind::query, [&] {
        if (!is_device(device) || !is_device(peer))
            return invalid_device;
        *can = device != peer;
        return success;
    });
}

static Context *new_context(int device) {
    Context *context = new Context{device, u64(1) << device, 0};
    process().contexts.insert(context);
    return context;
}

static void delete_context(Context *context) {
    process().contexts.erase(context);
    delete context;
}

EXPORT int cuCtxCreate_v2(void **context, unsigned, int device) {
    return call("cuCtxCreate", Kind::query, [&]() -> int {
        if (process().fault != success)
            return process().fault;
        if (!is_device(device))
            return invalid_device;
        contexts().push_back(new_context(device));
        *context = contexts().back();
        return success;
    });
}

// Allocations outlive their context here, so that one that was not freed is still counted.
EXPORT int cuCtxDestroy_v2(void *name) {
    return call("cuCtxDestroy", Kind::query, [&]() -> int {
        Context *context = handle(process().contexts, name);
        if (context == nullptr)
            return invalid_context;
        if (!contexts().empty() && contexts().back() == context)
            contexts().pop_back();
        delete_context(context);
        return process().fault;
    });
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
    return call("cuDevicePrimaryCtxRetain", Kind::query, [&] {
        if (!is_device(device))
            return invalid_device;
        Context *&primary = process().primary[device];
        if (primary == nullptr)
            primary = new_context(device);
        primary->retained++;
        *context = primary;
        return success;
    });
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
    return call("cuDevicePrimaryCtxRelease", Kind::query, [&] {
        Context *&primary = process().primary[device];
        if (primary == nullptr)
            return invalid_context;
        if (--primary->retained == 0) {
            delete_context(primary);
            primary = nullptr;
        }
        return success;
    });
}

EXPORT int cuCtxSetCurrent(void *name) {
    return call("cuCtxSetCurrent", Kind::query, [&] {
        Context *context = handle(process().contexts, name);
        if (context == nullptr && name != nullptr)
            return invalid_context;
        if (!contexts().empty())
            contexts().pop_back();
        if (context != nullptr)
            contexts().push_back(context);
        return success;
    });
}

EXPORT int cuCtxPushCurrent_v2(void *name) {
    return call("cuCtxPushCurrent", Kind::query, [&] {
        Context *context = handle(process().contexts, name);
        if (context == nullptr)
            return invalid_context;
        contexts().push_back(context);
        return success;
    });
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
    return call("cuCtxPopCurrent", Kind::query, [&] {
        if (contexts().empty())
            return invalid_context;
        *context = contexts().back();
        contexts().pop_back();
        return success;
    });
}

EXPORT int cuCtxGetCurrent(void **context) {
    return call("cuCtxGetCurrent", Kind::query, [&] { return *context = current(), success; });
}

EXPORT int cuCtxGetDevice(int *device) {
    return call("cuCtxGetDevice", Kind::work, [&] { return *device = current()->device, success; });
}

EXPORT int cuCtxSynchronize() {
    return call("cuCtxSynchronize", Kind::waiting, [] { return success; });
}

EXPORT int cuCtxEnablePeerAccess(void *name, unsigned) {
    return call("cuCtxEnablePeerAccess", Kind::work, [&] {
        Context *peer = handle(process().contexts, name);
        if (peer == nullptr || peer->device == current()->device)
            return invalid_context;
        if (current()->peers >> peer->device & 1)
            return peer_access_already_enabled;
        current()->peers |= u64(1) << peer->device;
        return success;
    });
}

EXPORT int cuCtxDisablePeerAccess(void *name) {
    return call("cuCtxDisablePeerAccess", Kind::work, [&] {
        Context *peer = handle(process().contexts, name);
        if (peer == nullptr || peer->device == current()->device)
            return invalid_context;
        if ((current()->peers >> peer->device & 1) == 0)
            return peer_access_not_enabled;
        current()->peers &= ~(u64(1) << peer->device);
        return success;
    });
}
