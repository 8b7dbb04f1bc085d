#include "memory.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace standin {

static const u64 alignment = 256;            // of cuMemAlloc
static const u64 mapped_bytes = u64(1) << 20; // from here on, pages come into being when they are touched
static const int junk = 0xCD;                // new memory holds no zeros that a program could rely on

static void *reserve(u64 bytes, bool mapped) {
    if (!mapped) {
        void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        return memory == nullptr ? nullptr : std::memset(memory, junk, bytes);
    }
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

u64 Memory::allocate(int device, u64 bytes) {
    if (bytes > capacity - used(device))
        return 0;
    bool mapped = bytes >= mapped_bytes;
    void *memory = reserve(bytes, mapped);
    if (memory == nullptr)
        return 0;
    u64 begin = reinterpret_cast<u64>(memory);
    allocations_[begin] = {begin, begin + bytes, device, mapped};
    used_[device] += bytes;
    return begin;
}

bool Memory::release(u64 address) {
    auto found = allocations_.find(address);
    if (found == allocations_.end())
        return false;
    Allocation freed = found->second;
    allocations_.erase(found);
    used_[freed.device] -= freed.end - freed.begin;
    if (freed.mapped)
        munmap(reinterpret_cast<void *>(address), freed.end - freed.begin);
    else
        std::free(reinterpret_cast<void *>(address));
    return true;
}

u64 Memory::used(int device) const {
    auto found = used_.find(device);
    return found == used_.end() ? 0 : found->second;
}

const Allocation *Memory::nearest(u64 address) const {
    auto after = allocations_.upper_bound(address);
    return after == allocations_.begin() ? nullptr : &std::prev(after)->second;
}

const Allocation *Memory::find(u64 address, u64 bytes) const {
    const Allocation *allocation = nearest(address);
    bool inside = allocation != nullptr && address <= allocation->end && bytes <= allocation->end - address;
    return inside ? allocation : nullptr;
}

static std::string describe(const Allocation *nearest, u64 address, u64 size) {
    std::string access = std::to_string(size) + "-byte access ";
    if (nearest == nullptr)
        return access + "below all allocations";
    return access + "at byte " + std::to_string(address - nearest->begin) + " of an allocation of " +
           std::to_string(nearest->end - nearest->begin);
}

void Access::look_up(u64 address, u64 size, Range &range) {
    const Allocation *nearest = memory_.nearest(address);
    if (address % size != 0)
        throw Fault{misaligned_address, describe(nearest, address, size) + ": not aligned"};
    const Allocation *allocation = memory_.find(address, size);
    if (allocation == nullptr)
        throw Fault{illegal_address, describe(nearest, address, size) + ": outside"};
    if ((peers_ >> allocation->device & 1) == 0)
        throw Fault{illegal_address, "access to device " + std::to_string(allocation->device) + " without peer access"};
    range = {allocation->begin, allocation->end};
}

} // namespace standin
