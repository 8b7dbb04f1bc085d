// The kernels that replay plans on a device and judge what they wrote. README.md states their contract.
//
// Two compilers read this file: NVRTC for the device (build_ptx.py), and a host compiler for the stand-in, which
// defines SHARDPROOF_HOST and brings its own KERNEL, load, store and atomics.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Wide is the widest single access, and the element of width 16.
struct alignas(16) Wide {
    u64 lo, hi;
};

enum : u32 { max_axes = 8, block_threads = 256, warp_threads = 32, tile_steps = 4 };
enum : u64 { wide_bytes = sizeof(Wide) };

#ifndef SHARDPROOF_HOST
// Four blocks a multiprocessor leave 64 registers a thread.
#define KERNEL extern "C" __global__ void __launch_bounds__(block_threads, 4)
template <typename T> __device__ T load(const T *from) { return *from; }
template <typename T> __device__ void store(T *to, T value) { *to = value; }
__device__ void count_one(u32 *counter) { atomicAdd(counter, 1u); }
__device__ void add(u64 *sum, u64 n) { atomicAdd(sum, n); }
__device__ void lower(u64 *least, u64 n) { atomicMin(least, n); }
#endif

template <typename T> __device__ T *at(u64 address) { return reinterpret_cast<T *>(address); }


struct Segment {
    u64 first, items_per_run;
    u64 source, target, counts;
    i64 source_offset, target_offset;
    u32 width;
    u16 axes, form;
    u64 extent[max_axes];
    i64 source_stride[max_axes], target_stride[max_axes];
};

struct Shard {
    u64 first, found, expected, counts, sentinel, width, verdict;
};

struct Verdict {
    u64 first, wrong_values, wrong_counts, compared;
};

// first_item is where a thread starts, thread_count how far it strides.
__device__ u64 first_item(u64 begin) { return begin + u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ u64 thread_count() { return u64(gridDim.x) * blockDim.x; }

// entry_of returns the last of a table's entries that starts at or before an item.
//
// Empty entries start where the next one does, so the last is the one that holds the item.
template <typename Entry> __device__ u32 entry_of(const Entry *entries, u64 count, u64 item) {
    u32 lo = 0, hi = u32(count);
    do {
        u32 middle = lo + (hi - lo) / 2;
        if (load(&entries[middle].first) <= item)
            lo = middle;
        else
            hi = middle;
    } while (hi - lo > 1);
    return lo;
}

// A Run is the innermost axis of a segment at one index of the others, in bytes.
struct Run {
    u64 begin, end;             // its items
    u64 whole_begin, whole_end; // of them, the windows that move as one access each
    u64 source, target;         // addresses of its first element
    u64 counter;                // address of that element's counter, or 0
    u64 bytes;                  // of its elements together
    i64 source_step, target_step, counter_step; // from one element to the next
    u32 width;
    bool by_window;
};

// find_whole sets the items that copy_whole may take: windows that lie in the run from end to end, on both sides aligned.
__device__ void find_whole(Run &run) {
    u64 cut = run.target % wide_bytes;
    bool aligned = run.by_window && run.source % wide_bytes == cut;
    run.whole_begin = run.begin + (cut != 0);
    run.whole_end = aligned ? run.begin + (cut + run.bytes) / wide_bytes : 0;
}

// run_of finds the run that an item is part of.
__device__ Run run_of(u64 table, u64 count, u64 item) {
    const Segment *segments = at<const Segment>(table), *segment = segments + entry_of(segments, count, item);
    u64 items_per_run = load(&segment->items_per_run);
    u32 axes = load(&segment->axes);
    u64 index = (item - load(&segment->first)) / items_per_run;
    Run run;
    run.begin = load(&segment->first) + index * items_per_run;
    run.end = run.begin + items_per_run;
    i64 source = load(&segment->source_offset), target = load(&segment->target_offset);
#pragma unroll 1
    for (u32 axis = axes; axis-- > 1;) {
        u64 extent = load(&segment->extent[axis - 1]);
        i64 along = i64(index % extent);
        index /= extent;
        source += along * load(&segment->source_stride[axis - 1]);
        target += along * load(&segment->target_stride[axis - 1]);
    }
    u64 elements = 1;
    i64 source_stride = 0, target_stride = 0;
    if (axes > 0) {
        elements = load(&segment->extent[axes - 1]);
        source_stride = load(&segment->source_stride[axes - 1]);
        target_stride = load(&segment->target_stride[axes - 1]);
    }
    u64 counts = load(&segment->counts);
    run.width = load(&segment->width);
    run.by_window = load(&segment->form) != 0;
    run.source = load(&segment->source) + u64(source) * run.width;
    run.target = load(&segment->target) + u64(target) * run.width;
    run.counter = counts == 0 ? 0 : counts + u64(target) * sizeof(u32);
    run.bytes = elements * run.width;
    run.source_step = source_stride * i64(run.width);
    run.target_step = target_stride * i64(run.width);
    run.counter_step = target_stride * i64(sizeof(u32));
    find_whole(run);
    return run;
}

template <typename T> __device__ void copy_as(u64 source, u64 target) {
    store(at<T>(target), load(at<const T>(source)));
}

__device__ void copy_element(u64 source, u64 target, u32 width) {
    switch (width) {
    case 1: return copy_as<u8>(source, target);
    case 2: return copy_as<u16>(source, target);
    case 4: return copy_as<u32>(source, target);
    case 8: return copy_as<u64>(source, target);
    default: return copy_as<Wide>(source, target);
    }
}

// count_bytes counts a write of each element in a contiguous part of the run, from target address lo to hi.
__device__ void count_bytes(const Run &run, u64 lo, u64 hi) {
    if (run.counter == 0)
        return;
    u64 counter = run.counter + (lo - run.target) / run.width * sizeof(u32);
    for (u64 target = lo; target < hi; target += run.width) {
        count_one(at<u32>(counter));
        counter += sizeof(u32);
    }
}

// copy_window copies the part of one aligned window of the target that is in the run, element by element.
__device__ void copy_window(const Run &run, u64 window) {
    u64 window_begin = run.target / wide_bytes * wide_bytes + window * wide_bytes;
    u64 lo = window_begin < run.target ? run.target : window_begin;
    u64 hi = window_begin + wide_bytes, run_end = run.target + run.bytes;
    if (hi > run_end)
        hi = run_end;
    for (u64 target = lo; target < hi; target += run.width)
        copy_element(run.source + (target - run.target), target, run.width);
    count_bytes(run, lo, hi);
}

__device__ void copy_item(const Run &run, u64 index) {
    if (run.by_window)
        return copy_window(run, index);
    copy_element(run.source + index * u64(run.source_step), run.target + index * u64(run.target_step), run.width);
    if (run.counter != 0)
        count_one(at<u32>(run.counter + index * u64(run.counter_step)));
}

// copy_whole copies n whole windows, a warp's width apart: all loads are under way before the first store.
template <u32 n> __device__ void copy_whole(const Run &run, u64 item) {
    const u64 stride = warp_threads * wide_bytes;
    u64 target = run.target / wide_bytes * wide_bytes + (item - run.begin) * wide_bytes;
    u64 source = run.source + (target - run.target);
    Wide values[n];
#pragma unroll
    for (u32 i = 0; i < n; i++)
        values[i] = load(at<const Wide>(source + i * stride));
#pragma unroll
    for (u32 i = 0; i < n; i++)
        store(at<Wide>(target + i * stride), values[i]);
#pragma unroll 1
    for (u32 i = 0; i < n; i++)
        count_bytes(run, target + i * stride, target + i * stride + wide_bytes);
}

// A warp works on tiles of consecutive items, a lane on every 32nd of a tile: neighbours touch neighbouring memory, and
// a lane has several windows of one run.
KERNEL copy_segments(u64 table, u64 count, u64 begin, u64 end) {
    u64 thread = first_item(0), tile = tile_steps * warp_threads;
    u64 item = begin + thread / warp_threads * tile + thread % warp_threads, next_tile = thread_count() * tile_steps;
    Run run = {};
    for (; item < end; item += next_tile) {
        u64 last = item + (tile_steps - 1) * warp_threads;
#pragma unroll 1
        for (u64 one = item; one <= last && one < end; one += warp_threads) {
            if (one >= run.end)
                run = run_of(table, count, one);
            bool whole = one >= run.whole_begin && one < run.whole_end;
            if (whole && one == item && last < run.whole_end && last < end) {
                copy_whole<tile_steps>(run, item);
                break;
            }
            if (whole)
                copy_whole<1>(run, one);
            else
                copy_item(run, one - run.begin);
        }
    }
}

__device__ Wide load_element(u64 address, u32 width) {
    switch (width) {
    case 1: return {load(at<const u8>(address)), 0};
    case 2: return {load(at<const u16>(address)), 0};
    case 4: return {load(at<const u32>(address)), 0};
    case 8: return {load(at<const u64>(address)), 0};
    default: return load(at<const Wide>(address));
    }
}

__device__ bool equal(Wide a, Wide b) { return a.lo == b.lo && a.hi == b.hi; }

// sentinel_of returns what an unwritten element of a shard holds.
__device__ Wide sentinel_of(u64 sentinel, u32 width) {
    if (width >= sizeof(u64))
        return {sentinel, width > sizeof(u64) ? sentinel : 0};
    return {sentinel & ((u64(1) << (8 * width)) - 1), 0};
}

// A Tally is what one thread has found in one shard so far.
struct Tally {
    u64 first, wrong_values, wrong_counts, compared;
};

__device__ void report(u64 verdict, const Tally &tally) {
    Verdict *to = at<Verdict>(verdict);
    add(&to->compared, tally.compared);
    if (tally.wrong_values + tally.wrong_counts == 0)
        return;
    lower(&to->first, tally.first);
    add(&to->wrong_values, tally.wrong_values);
    add(&to->wrong_counts, tally.wrong_counts);
}

__device__ void compare_element(const Shard *shard, u64 item, Tally &tally) {
    u64 element = item - load(&shard->first), counts = load(&shard->counts);
    u32 width = u32(load(&shard->width));
    Wide found = load_element(load(&shard->found) + element * width, width);
    Wide expected = load_element(load(&shard->expected) + element * width, width);
    u32 writes = equal(expected, sentinel_of(load(&shard->sentinel), width)) ? 0 : 1;
    bool wrong_value = !equal(found, expected);
    bool wrong_count = counts != 0 && load(at<const u32>(counts + element * sizeof(u32))) != writes;
    if ((wrong_value || wrong_count) && item < tally.first)
        tally.first = item;
    tally.wrong_values += wrong_value;
    tally.wrong_counts += wrong_count;
    tally.compared++;
}

KERNEL compare_shards(u64 table, u64 count, u64 begin, u64 end) {
    const Shard *shards = at<const Shard>(table), *shard = nullptr;
    u64 shard_end = 0;
    Tally tally = {};
    for (u64 item = first_item(begin); item < end; item += thread_count()) {
        if (item >= shard_end) {
            if (shard != nullptr)
                report(load(&shard->verdict), tally);
            u32 index = entry_of(shards, count, item);
            shard = shards + index;
            shard_end = index + 1 < count ? load(&shard[1].first) : end;
            tally = {~u64(0), 0, 0, 0};
        }
        compare_element(shard, item, tally);
    }
    if (shard != nullptr)
        report(load(&shard->verdict), tally);
}
