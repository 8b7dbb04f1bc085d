// Device memory: allocations on the host, and the check that every access of a kernel passes.

#pragma once

#include "abi.h"

#include <map>
#include <string>

namespace standin {

// A Fault ends a kernel: what a device would report at the next synchronize.
struct Fault {
    Status status;
    std::string problem;
};

struct Allocation {
    u64 begin, end; // addresses
    int device;
    bool mapped; // by mmap
};

// Memory is all live allocations of all devices. Addresses are unique among devices, as on a real driver.
class Memory {
  public:
    // allocate returns the address of bytes (at least 1) on a device, aligned to 256, or 0 where there is no room.
    u64 allocate(int device, u64 bytes);
    // release frees the allocation that begins at an address; false where none does.
    bool release(u64 address);
    // find returns the allocation that [address, address + bytes) lies in, or null.
    const Allocation *find(u64 address, u64 bytes) const;
    // nearest returns the last allocation that begins at or before an address, or null.
    const Allocation *nearest(u64 address) const;

    u64 count() const { return allocations_.size(); }
    u64 used(int device) const;

    static const u64 capacity = u64(64) << 30; // bytes a device

  private:
    std::map<u64, Allocation> allocations_;
    std::map<int, u64> used_;
};

// An Access checks what a kernel on one device touches. It remembers the last few allocations it met.
class Access {
  public:
    // peers has a bit for each device whose memory the kernel may touch, its own among them.
    Access(const Memory &memory, u64 peers) : memory_(memory), peers_(peers) {}

    // check throws a Fault unless size bytes (a power of two) at an address are aligned and in one allocation.
    void check(u64 address, u64 size) {
        Range &range = recent_[(address >> 12) % ranges];
        bool inside = address >= range.begin && address + size <= range.end && address + size > address;
        if (address % size != 0 || !inside)
            look_up(address, size, range);
    }

  private:
    struct Range {
        u64 begin = 0, end = 0;
    };
    static const u64 ranges = 64;

    void look_up(u64 address, u64 size, Range &range);

    const Memory &memory_;
    u64 peers_;
    Range recent_[ranges];
};

} // namespace standin
