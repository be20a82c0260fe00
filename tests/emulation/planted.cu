// The kernels of planted.h. `fault` is the same for a whole launch, so a barrier under `if (fault != ...)` is reached
// by all threads of a block or by none.
#include "planted.h"

#include "portable.cuh"

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cstdlib>
#include <exception>

namespace {

constexpr unsigned FULL_WARP = 0xffffffffu;
constexpr unsigned NUMBERS = 4 * PLANTED_THREADS;
constexpr unsigned WARPS = PLANTED_THREADS / 32;

// ---------------------------------------------------------------- a barrier or an atomic is missing

__global__ void reverse_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_SHARED(uint32_t, tile, PLANTED_THREADS);
    tile[threadIdx.x] = in[threadIdx.x];
    if (fault != PLANTED_LOAD)
        __syncthreads();
    out[threadIdx.x] = tile[PLANTED_THREADS - 1 - threadIdx.x];
}

__global__ void tile_sums_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_SHARED(uint32_t, tile, PLANTED_THREADS);
    uint32_t sum = 0;
    for (unsigned first = 0; first < NUMBERS; first += PLANTED_THREADS) {
        tile[threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
        for (unsigned i = 0; i < PLANTED_THREADS; i++)
            sum += tile[i];
        if (fault != PLANTED_REUSE)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void histogram_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_DYN_SHARED(uint32_t, bins);
    if (threadIdx.x < PLANTED_BINS)
        bins[threadIdx.x] = 0;
    if (fault != PLANTED_CLEAR)
        __syncthreads();
    for (unsigned i = threadIdx.x; i < NUMBERS; i += PLANTED_THREADS)
        atomicAdd(&bins[in[i] % PLANTED_BINS], 1u);
    if (fault != PLANTED_STORE)
        __syncthreads();
    if (threadIdx.x < PLANTED_BINS)
        out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void sum_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_SHARED(uint32_t, parts, WARPS);
    uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < NUMBERS; i += PLANTED_THREADS)
        sum += in[i];
    for (unsigned distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(FULL_WARP, sum, distance);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    if (fault != PLANTED_REDUCE)
        __syncthreads();
    if (threadIdx.x < 32) {
        sum = __reduce_add_sync(FULL_WARP, threadIdx.x < WARPS ? parts[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            out[0] = sum;
    }
}

__global__ void neighbour_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_SHARED(uint32_t, values, PLANTED_THREADS);
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    uint32_t sum = values[threadIdx.x] + values[threadIdx.x ^ 1];
    if (fault != PLANTED_WARP)
        __syncwarp();
    values[threadIdx.x] = sum;
    __syncwarp();
    out[threadIdx.x] = values[threadIdx.x];
}

__global__ void shared_bits_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    SG_SHARED(uint32_t, words, WARPS);
    if (threadIdx.x < WARPS)
        words[threadIdx.x] = 0;
    __syncthreads();
    uint32_t bit = (in[threadIdx.x] & 1) << threadIdx.x % 32;
    if (fault != PLANTED_UPDATE)
        atomicOr(&words[threadIdx.x / 32], bit);
    else
        words[threadIdx.x / 32] |= bit;
    __syncthreads();
    if (threadIdx.x < WARPS)
        out[threadIdx.x] = words[threadIdx.x];
}

// Four blocks; thread 8 w + j of block k sets bit 8 k + j of word w.
__global__ void device_bits_kernel(const uint32_t *in, uint32_t *out, planted_fault fault) {
    unsigned word = threadIdx.x / 8, bit = 8 * blockIdx.x + threadIdx.x % 8;
    uint32_t mark = (in[32 * word + bit] & 1) << bit;
    if (fault != PLANTED_BLOCKS)
        atomicOr(&out[word], mark);
    else if (mark)
        out[word] |= mark;
}

// ---------------------------------------------------------------- threads that do not keep together

__global__ void misuse_kernel(planted_misuse kind, uint32_t *out) {
    switch (kind) {
    case PLANTED_DIVERGENT_BARRIER:
        if (threadIdx.x < 32)
            __syncthreads();
        else
            __syncthreads(); // another one
        break;
    case PLANTED_OUTSIDE_MASK:
        out[threadIdx.x] = __ballot_sync(0x0000ffffu, 1);
        break;
    case PLANTED_DIFFERENT_COLLECTIVES:
        if (threadIdx.x % 2)
            out[threadIdx.x] = __ballot_sync(FULL_WARP, 1);
        else
            out[threadIdx.x] = __ballot_sync(FULL_WARP, 0); // another one
        break;
    case PLANTED_DEADLOCK:
        if (threadIdx.x < 32 && threadIdx.x != 3)
            __syncwarp();
        __syncthreads();
        break;
    case PLANTED_TRAP:
        if (threadIdx.x == 7)
            __trap();
        break;
    case PLANTED_MISUSES:
        break;
    }
}

__global__ void leave_kernel(planted_meeting where, unsigned leaver, uint32_t *out) {
    if (threadIdx.x == leaver)
        return;
    switch (where) {
    case PLANTED_AT_BARRIER:
        out[threadIdx.x] = static_cast<uint32_t>(__syncthreads_count(1));
        break;
    case PLANTED_AT_BALLOT:
        out[threadIdx.x] = __ballot_sync(FULL_WARP, 1);
        break;
    case PLANTED_AT_SHUFFLE:
        out[threadIdx.x] = __shfl_sync(FULL_WARP, threadIdx.x, static_cast<int>(leaver % 32));
        break;
    case PLANTED_AT_SYNC:
        __syncwarp();
        out[threadIdx.x] = 1;
        break;
    }
}

// ---------------------------------------------------------------- accesses out of bounds

__global__ void overrun_kernel(uint32_t *out, uint32_t count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count)
        out[i] = i;
}

__global__ void shared_overrun_kernel(uint32_t *out) {
    SG_SHARED(uint32_t, values, PLANTED_THREADS);
    values[threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

// ---------------------------------------------------------------- correct kernels

__global__ void increment_kernel(uint32_t *out, uint32_t count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i]++;
}

__global__ void copy_kernel(const uint32_t *in, uint32_t *out, uint32_t count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = __ldg(in + i);
}

__global__ void job_kernel(planted_job job) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < job.arrays.count)
        job.arrays.out[i] = job.arrays.in[i] + job.more;
}

__global__ void visit_kernel(uint32_t *visits) {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    visits[block * blockDim.x * blockDim.y * blockDim.z + thread]++;
}

__global__ void dynamic_shared_kernel(uint32_t words, uint32_t *out) {
    SG_DYN_SHARED(uint32_t, values);
    SG_SHARED(uint32_t, right, 1);
    if (threadIdx.x == 0)
        right[0] = 0;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        values[i] = 3 * i;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        if (values[words - 1 - i] == 3 * (words - 1 - i))
            atomicAdd(right, 1u);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = right[0];
}

__global__ void tickets_kernel(uint32_t *out, uint32_t threads) {
    out[threadIdx.x] = atomicAdd(out + threads, 1u);
}

__global__ void atomics_kernel(planted_atomics *words) {
    unsigned i = threadIdx.x;
    int sign = static_cast<int>(i) - 20;
    atomicAdd(&words->add, i);
    atomicMin(&words->least, i + 5);
    atomicMax(&words->greatest, i + 5);
    atomicAnd(&words->all, ~(1u << i % 4));
    atomicOr(&words->any, 1u << i % 20);
    atomicXor(&words->odd, 3u << i % 8);
    atomicMin(&words->signed_least, sign);
    atomicMax(&words->signed_greatest, sign);
    atomicAdd(&words->wide_add, static_cast<unsigned long long>(i) << 32);
    atomicOr(&words->wide_any, 1ull << i);
    atomicAdd(&words->sum, 0.5f * static_cast<float>(i));
    atomicAdd(&words->wide_sum, 0.25 * i);
    uint32_t seen = atomicCAS(&words->swapped, 0u, 0u), expected;
    do {
        expected = seen;
        seen = atomicCAS(&words->swapped, expected, expected + 2 * i);
    } while (seen != expected);
    __threadfence();
}

__global__ void collectives_kernel(uint32_t mask, const uint32_t *values, planted_collectives *out) {
    unsigned lane = threadIdx.x % 32;
    uint32_t value = values[threadIdx.x];
    int32_t number = static_cast<int32_t>(value);
    planted_collectives got = {};
    if (mask >> lane & 1) {
        got.ballot = __ballot_sync(mask, value & 1);
        got.any = static_cast<uint32_t>(__any_sync(mask, value % 5 == 0));
        got.all = static_cast<uint32_t>(__all_sync(mask, value % 5));
        got.match = __match_any_sync(mask, value % 4);
        got.from_5 = __shfl_sync(mask, value, 5);
        got.up_3 = __shfl_up_sync(mask, value, 3);
        got.down_7 = __shfl_down_sync(mask, value, 7);
        got.across_9 = __shfl_xor_sync(mask, value, 9);
        got.within_8 = __shfl_sync(mask, value, 2, 8);
        got.wide_from_1 = __shfl_sync(mask, static_cast<unsigned long long>(value) << 20, 1);
        got.real_up_1 = __shfl_up_sync(mask, 0.5 * value, 1);
        got.sum = __reduce_add_sync(mask, value);
        got.least = __reduce_min_sync(mask, value);
        got.greatest = __reduce_max_sync(mask, value);
        got.signed_least = __reduce_min_sync(mask, number);
        got.signed_greatest = __reduce_max_sync(mask, number);
        got.bits_and = __reduce_and_sync(mask, value);
        got.bits_or = __reduce_or_sync(mask, value);
        got.bits_xor = __reduce_xor_sync(mask, value);
    }
    got.block_count = static_cast<uint32_t>(__syncthreads_count(value & 1));
    got.block_any = static_cast<uint32_t>(__syncthreads_or(value % 7 == 0));
    got.block_all = static_cast<uint32_t>(__syncthreads_and(value % 7));
    out[threadIdx.x] = got;
}

__global__ void arithmetic_kernel(planted_arithmetic *cases, uint32_t count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    planted_arithmetic c = cases[i];
    unsigned long long wide = static_cast<unsigned long long>(c.a) << 32 | c.b;
    c.left = __funnelshift_l(c.a, c.b, c.shift);
    c.left_clamped = __funnelshift_lc(c.a, c.b, c.shift);
    c.right = __funnelshift_r(c.a, c.b, c.shift);
    c.right_clamped = __funnelshift_rc(c.a, c.b, c.shift);
    c.product_high = __umulhi(c.a, c.b);
    c.wide_product_high = __umul64hi(wide, wide);
    c.reversed = __brev(c.a);
    c.wide_reversed = __brevll(wide);
    c.ones = __popc(c.a);
    c.wide_ones = __popcll(wide);
    c.first = __ffs(static_cast<int>(c.a));
    c.wide_first = __ffsll(static_cast<long long>(wide));
    c.zeros = __clz(static_cast<int>(c.a));
    c.wide_zeros = __clzll(static_cast<long long>(wide));
    sincospif(static_cast<float>(c.x), &c.sine, &c.cosine);
    sincospi(c.x, &c.wide_sine, &c.wide_cosine);
    cases[i] = c;
}

// ---------------------------------------------------------------- for measuring

__global__ void empty_kernel(uint32_t *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        out[0] = 1;
}

__global__ void barriers_kernel(unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++)
        __syncthreads();
}

__global__ void ballots_kernel(unsigned rounds, uint32_t *out) {
    unsigned bits = 0;
    for (unsigned i = 0; i < rounds; i++)
        bits ^= __ballot_sync(FULL_WARP, threadIdx.x > i);
    if (threadIdx.x == 0)
        out[0] = bits;
}

__global__ void shared_atomics_kernel(unsigned rounds) {
    SG_SHARED(uint32_t, words, PLANTED_BINS);
    for (unsigned i = 0; i < rounds; i++)
        atomicOr(&words[(threadIdx.x + i) % PLANTED_BINS], 1u << i % 32);
}

// Temporary memory for Thrust on a device; the emulation ignores it.
struct DeviceMemory {
    using value_type = char;
    char *allocate(std::ptrdiff_t bytes) {
        void *memory = nullptr;
        return cudaMalloc(&memory, static_cast<std::size_t>(bytes)) == cudaSuccess ? static_cast<char *>(memory)
                                                                                   : nullptr;
    }
    void deallocate(char *memory, std::size_t) {
        cudaFree(memory);
    }
};

dim3 blocks_for(uint32_t threads) {
    return dim3((threads + PLANTED_THREADS - 1) / PLANTED_THREADS);
}

} // namespace

cudaError_t planted_solve(cudaStream_t stream, planted_fault kind, bool with_fault, const uint32_t *in, uint32_t *out) {
    planted_fault fault = with_fault ? kind : PLANTED_NONE;
    switch (kind) {
    case PLANTED_LOAD:
        return sg_launch(reverse_kernel, 1, PLANTED_THREADS, 0, stream, in, out, fault);
    case PLANTED_REUSE:
        return sg_launch(tile_sums_kernel, 1, PLANTED_THREADS, 0, stream, in, out, fault);
    case PLANTED_CLEAR:
    case PLANTED_STORE:
        return sg_launch(histogram_kernel, 1, PLANTED_THREADS, PLANTED_BINS * sizeof(uint32_t), stream, in, out, fault);
    case PLANTED_REDUCE:
        return sg_launch(sum_kernel, 1, PLANTED_THREADS, 0, stream, in, out, fault);
    case PLANTED_WARP:
        return sg_launch(neighbour_kernel, 1, PLANTED_THREADS, 0, stream, in, out, fault);
    case PLANTED_UPDATE:
        return sg_launch(shared_bits_kernel, 1, PLANTED_THREADS, 0, stream, in, out, fault);
    case PLANTED_BLOCKS:
        return sg_launch(device_bits_kernel, 4, PLANTED_THREADS / 4, 0, stream, in, out, fault);
    case PLANTED_NONE:
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t planted_misuse_launch(cudaStream_t stream, planted_misuse kind, uint32_t *out) {
    return sg_launch(misuse_kernel, 1, 64, 0, stream, kind, out);
}

cudaError_t planted_leave(cudaStream_t stream, planted_meeting where, unsigned leaver, uint32_t *out) {
    return sg_launch(leave_kernel, 1, PLANTED_THREADS, 0, stream, where, leaver, out);
}

cudaError_t planted_overrun(cudaStream_t stream, uint32_t *out, uint32_t count) {
    return sg_launch(overrun_kernel, blocks_for(count + 1), PLANTED_THREADS, 0, stream, out, count);
}

cudaError_t planted_shared_overrun(cudaStream_t stream, uint32_t *out) {
    return sg_launch(shared_overrun_kernel, 1, PLANTED_THREADS, 0, stream, out);
}

cudaError_t planted_increment(cudaStream_t stream, uint32_t *out, uint32_t count) {
    return sg_launch(increment_kernel, blocks_for(count), PLANTED_THREADS, 0, stream, out, count);
}

cudaError_t planted_copy(cudaStream_t stream, const uint32_t *in, uint32_t *out, uint32_t count) {
    return sg_launch(copy_kernel, blocks_for(count), PLANTED_THREADS, 0, stream, in, out, count);
}

cudaError_t planted_do_job(cudaStream_t stream, planted_job job) {
    return sg_launch(job_kernel, blocks_for(job.arrays.count + 1), PLANTED_THREADS, 0, stream, job);
}

cudaError_t planted_visit(cudaStream_t stream, dim3 blocks, dim3 threads, uint32_t *visits) {
    return sg_launch(visit_kernel, blocks, threads, 0, stream, visits);
}

cudaError_t planted_dynamic_shared(cudaStream_t stream, size_t allowed, size_t bytes, uint32_t *out) {
    cudaError_t error = allowed ? sg_allow_shared(dynamic_shared_kernel, allowed) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    return sg_launch(dynamic_shared_kernel, 1, PLANTED_THREADS, bytes, stream,
                     static_cast<uint32_t>(bytes / sizeof(uint32_t)), out);
}

cudaError_t planted_tickets(cudaStream_t stream, unsigned threads, uint32_t *out) {
    return sg_launch(tickets_kernel, 1, threads, 0, stream, out, threads);
}

cudaError_t planted_atomics_launch(cudaStream_t stream, planted_atomics *words) {
    return sg_launch(atomics_kernel, 1, 64, 0, stream, words);
}

cudaError_t planted_collectives_launch(cudaStream_t stream, unsigned threads, uint32_t mask, const uint32_t *values,
                                       planted_collectives *out) {
    return sg_launch(collectives_kernel, 1, threads, 0, stream, mask, values, out);
}

cudaError_t planted_arithmetic_launch(cudaStream_t stream, planted_arithmetic *cases, uint32_t count) {
    return sg_launch(arithmetic_kernel, blocks_for(count), PLANTED_THREADS, 0, stream, cases, count);
}

cudaError_t planted_prefix_sums(cudaStream_t stream, const uint32_t *in, uint32_t *out, uint32_t count) {
    DeviceMemory memory;
    try {
        thrust::inclusive_scan(SG_THRUST(stream, memory), in, in + count, out);
    } catch (const std::exception &) { // nothing may leave through a C interface
        return cudaErrorUnknown;
    }
    return cudaGetLastError();
}

cudaError_t planted_work(cudaStream_t stream, planted_load load, unsigned blocks, unsigned rounds, uint32_t *out) {
    switch (load) {
    case PLANTED_EMPTY:
        return sg_launch(empty_kernel, blocks, 256, 0, stream, out);
    case PLANTED_BARRIERS:
        return sg_launch(barriers_kernel, blocks, 256, 0, stream, rounds);
    case PLANTED_BALLOTS:
        return sg_launch(ballots_kernel, blocks, 256, 0, stream, rounds, out);
    case PLANTED_ATOMICS:
        return sg_launch(shared_atomics_kernel, blocks, 256, 0, stream, rounds);
    }
    return cudaErrorInvalidValue;
}
