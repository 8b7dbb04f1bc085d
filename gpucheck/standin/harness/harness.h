// A program that runs the kernels through a driver library and judges them by plain loops. It knows the kernels by
// their contract alone (kernel/README.md), and the library by the driver's calls.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

const u32 max_axes = 8;

struct Segment {
    u64 first, items_per_run, source, target, counts;
    i64 source_offset, target_offset;
    u32 width;
    u16 axes, form;
    u64 extent[max_axes];
    i64 source_stride[max_axes], target_stride[max_axes];
};
static_assert(sizeof(Segment) == 256, "the contract's segment");

struct Shard {
    u64 first, found, expected, counts, sentinel, width, verdict;
};
static_assert(sizeof(Shard) == 56, "the contract's shard");

struct Verdict {
    u64 first, wrong_values, wrong_counts, compared;
};
static_assert(sizeof(Verdict) == 32, "the contract's verdict");

// A Wrong is a difference between a kernel and the plain loop, or a call that failed.
struct Wrong {
    std::string problem;
};

std::string read_file(const char *path);

// must throws a Wrong unless a call succeeded.
void must(int status, const char *call);

// A Driver is an opened library with one context and the module loaded.
class Driver {
  public:
    Driver(const char *library, const char *ptx);
    ~Driver();

    u64 allocate(u64 bytes);
    void release(u64 address);
    void upload(u64 to, const void *from, u64 bytes);
    void download(void *to, u64 from, u64 bytes);
    // launch runs a kernel over the range of a table and waits for it.
    void launch(const char *kernel, u64 table, u64 count, u64 begin, u64 end, u32 blocks, u32 threads);

    // find returns a function of the library.
    template <typename Function> Function find(const char *name) { return reinterpret_cast<Function>(find_any(name)); }

  private:
    void *find_any(const char *name);

    void *library_, *context_, *module_;
};

// A Buffer is device memory with a copy on the host.
class Buffer {
  public:
    Buffer(Driver &driver, u64 bytes, u8 fill = 0) : bytes(bytes, fill), address(driver.allocate(bytes)), driver_(driver) { upload(); }
    ~Buffer() { driver_.release(address); }
    Buffer(const Buffer &) = delete;

    void upload() { driver_.upload(address, bytes.data(), bytes.size()); }
    std::vector<u8> download() const {
        std::vector<u8> now(bytes.size());
        driver_.download(now.data(), address, now.size());
        return now;
    }

    std::vector<u8> bytes;
    const u64 address;

  private:
    Driver &driver_;
};

// Random is splitmix64.
class Random {
  public:
    explicit Random(u64 seed) : state_(seed) {}
    u64 next() {
        u64 z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // between draws lo to hi, both possible.
    u64 between(u64 lo, u64 hi) { return lo + next() % (hi - lo + 1); }
    bool one_in(u64 n) { return next() % n == 0; }

  private:
    u64 state_;
};

// items_per_run and items_of are the contract's formulas.
u64 items_per_run(const Segment &segment);
u64 items_of(const Segment &segment);

// The runs of the program, each over many random cases or fixed ones.
void check_copies(Driver &driver, u64 seed, u64 cases);
void check_comparisons(Driver &driver, u64 seed, u64 cases);
void check_large(Driver &driver, u64 seed);

// check_effort bounds the interpreted instructions for each window where whole windows are to be had.
void check_effort(Driver &driver);

// measure prints what the engine under test does in a second.
void measure(Driver &driver);

// run_scenario makes a replay's calls in a fixed order, whatever they answer, and prints each with its status. The
// name says what the one launch does wrong: "none", "misaligned", "outside", "freed" or "peer".
void run_scenario(const char *library, const char *ptx, const std::string &name);
