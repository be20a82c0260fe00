/* What results ask of values that stay on the device. */
#include "nim.cuh"

static __global__ void SG_CUDA_BOUNDS widen_kernel(const uint16_t *narrow, uint64_t count, uint32_t *wide) {
    for (uint64_t i = global_thread(); i < count; i += (uint64_t)gridDim.x * blockDim.x)
        wide[i] = narrow[i];
}

/* A warp makes a word. */
template <class Value>
static __global__ void SG_CUDA_BOUNDS zero_bits_kernel(const Value *values, uint64_t first, uint64_t count,
                                                       uint32_t *bits) {
    uint64_t i = global_thread();
    uint32_t word = __ballot_sync(kFullWarp, i < count && values[first + i] == 0);
    if (i % kLanes == 0 && i < count)
        bits[i / kLanes] = word;
}

template <class Value>
static __global__ void SG_CUDA_BOUNDS pick_kernel(const Value *values, const uint64_t *heaps, uint64_t count,
                                                  uint32_t *picked) {
    uint64_t i = global_thread();
    if (i < count)
        picked[i] = values[heaps[i]];
}

/* A block tallies a chunk of heap sizes, fewer than 2^32, in shared memory, for `width` values from `low` on; then adds
 * its tally to that of all. */
template <class Value, bool kFirst>
static __global__ void SG_CUDA_BOUNDS tally_kernel(const Value *values, uint64_t n, uint64_t chunk, uint64_t low,
                                                   uint32_t width, unsigned long long *tally) {
    SG_DYN_SHARED(uint32_t, mine);
    uint32_t nothing = kFirst ? 0xffffffffu : 0;
    uint64_t begin = blockIdx.x * chunk, end = n - begin < chunk ? n : begin + chunk;
    for (uint32_t v = threadIdx.x; v < width; v += blockDim.x)
        mine[v] = nothing;
    __syncthreads();
    for (uint64_t p = begin + threadIdx.x; p < end; p += blockDim.x) {
        uint64_t at = values[p] - low;
        if (at < width && kFirst)
            atomicMin(&mine[at], (uint32_t)(p - begin));
        else if (at < width)
            atomicAdd(&mine[at], 1u);
    }
    __syncthreads();
    for (uint32_t v = threadIdx.x; v < width; v += blockDim.x)
        if (mine[v] != nothing && kFirst)
            atomicMin(&tally[low + v], (unsigned long long)(begin + mine[v]));
        else if (mine[v] != nothing)
            atomicAdd(&tally[low + v], (unsigned long long)mine[v]);
}

cudaError_t sg_nim_widen(const uint16_t *narrow, uint64_t count, uint32_t *wide, cudaStream_t stream) {
    uint64_t threads = count < SG_CUDA_VALUES_CHUNK ? count : SG_CUDA_VALUES_CHUNK;
    return launch_threads(widen_kernel, threads, stream, narrow, count, wide);
}

cudaError_t sg_nim_zero_bits(sg_nim_table table, uint64_t first, uint64_t count, uint32_t *bits, cudaStream_t stream) {
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return launch_threads(zero_bits_kernel<Value>, count, stream, values, first, count, bits);
    });
}

cudaError_t sg_nim_pick(sg_nim_table table, const uint64_t *heaps, uint64_t count, uint32_t *picked,
                        cudaStream_t stream) {
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return launch_threads(pick_kernel<Value>, count, stream, values, heaps, count, picked);
    });
}

template <class Value, bool kFirst>
static cudaError_t tally_values(const Value *values, const sg_cuda_shape &shape, uint64_t n, uint64_t capacity,
                                uint64_t *tally, cudaStream_t stream) {
    uint64_t blocks = (uint64_t)shape.multiprocessors * SG_CUDA_TALLY_BLOCKS, chunk = n / blocks + 1;
    if (chunk < SG_CUDA_BLOCK_THREADS)
        chunk = SG_CUDA_BLOCK_THREADS;
    if (chunk > SG_CUDA_VALUES_CHUNK)
        chunk = SG_CUDA_VALUES_CHUNK;
    blocks = (n + chunk - 1) / chunk;
    for (uint64_t low = 0; low < capacity && n > 0; low += SG_CUDA_TALLY_VALUES) {
        uint64_t left = capacity - low;
        uint32_t width = (uint32_t)(left < SG_CUDA_TALLY_VALUES ? left : SG_CUDA_TALLY_VALUES);
        cudaError_t error = sg_launch(tally_kernel<Value, kFirst>, dim3((unsigned)blocks), dim3(SG_CUDA_BLOCK_THREADS),
                                      sizeof(uint32_t) * width, stream, values, n, chunk, low, width,
                                      reinterpret_cast<unsigned long long *>(tally));
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t sg_nim_tally(sg_nim_table table, sg_cuda_shape shape, uint64_t n, sg_nim_tally_kind kind, uint64_t capacity,
                         uint64_t *tally, cudaStream_t stream) {
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return kind == SG_NIM_FIRST ? tally_values<Value, true>(values, shape, n, capacity, tally, stream)
                                    : tally_values<Value, false>(values, shape, n, capacity, tally, stream);
    });
}
