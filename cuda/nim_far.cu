/* The far options of a block of heap sizes, which lead to decided ones: the bulk of all work on nim-values.
 *
 * A lane has a heap size; its set of seen values lies in shared memory, word w of lane t at w * threads + t, so that
 * the lanes of a warp always use 32 different banks and no two lanes share a word. For one member the lanes of a warp
 * read a run of 32 values. An option costs a load (of device memory, or of the second-level cache when blocks in flight
 * are near each other) and two accesses of shared memory. From the source of one member to that of the next it is a
 * step, and one access brings four steps. kUnroll loads are in flight before the first value is used.
 *
 * Sets hold the values of one interval. When every value so far fits in it, one pass does; otherwise passes over all
 * options follow one another, each with the next interval, until the lane knows its window. Intervals overlap by a
 * window, so that each window lies within one of them. No lane waits for another. */
#include "nim.cuh"

/* The members that lead a tile to decided heap sizes: those with index lowest .. end-1 lead some lanes there, those
 * with index all_first .. all_end-1 all lanes. */
struct far_members {
    uint64_t lowest;
    uint64_t all_first;
    uint64_t all_end;
    uint64_t end;
};

static __device__ far_members members_of_tile(const uint64_t *members, uint64_t count, uint64_t tile, uint64_t last,
                                              uint64_t known) {
    far_members range;
    range.lowest = lower_bound(members, UINT64_C(0), count, tile - known + 1);
    range.all_first = lower_bound(members, range.lowest, count, last - known + 1);
    range.end = lower_bound(members, range.all_first, count, last + 1);
    range.all_end = lower_bound(members, range.lowest, range.end, tile + 1);
    if (range.all_end < range.all_first)
        range.all_end = range.all_first; /* early tiles: no member leads all lanes to decided heap sizes */
    return range;
}

/* Words from one word of a lane's set to the next: the threads of a block. */
static constexpr uint32_t kStride = SG_CUDA_NIM_TILE_POS;

/* A lane's set: values first .. first + 32 count - 1. */
struct value_set {
    uint32_t *words;
    uint32_t count;
    uint32_t first;
};

/* The word with bit `at`: words[at / 32 * kStride], in two instructions. */
static __device__ __forceinline__ uint32_t *word_of(const value_set &set, uint32_t at) {
    char *words = reinterpret_cast<char *>(set.words);
    return reinterpret_cast<uint32_t *>(words + (at & ~31u) * (kStride * sizeof(uint32_t) / 32));
}

template <bool kValuesFit> static __device__ __forceinline__ void enter(const value_set &set, uint32_t value) {
    uint32_t at = kValuesFit ? value : value - set.first;
    if (kValuesFit || at < 32 * set.count)
        *word_of(set, at) |= 1u << (at & 31);
}

/* The values of one run of kUnroll sources, each a step from the one before it. */
template <bool kValuesFit, class Value>
static __device__ __forceinline__ const Value *gather_run(const value_set &set, const Value *source,
                                                          const int32_t *steps) {
    Value values[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; u += 4) {
        int4 next = *reinterpret_cast<const int4 *>(steps + u);
        values[u] = *(source += next.x);
        values[u + 1] = *(source += next.y);
        values[u + 2] = *(source += next.z);
        values[u + 3] = *(source += next.w);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
        enter<kValuesFit>(set, values[u]);
    return source;
}

/* Members i .. end-1, which lead every lane to a heap size below `known`; `own` is the lane's own place. Runs begin at
 * multiples of four steps, so that one access brings four. */
template <bool kValuesFit, class Value>
static __device__ __forceinline__ void gather_all(const value_set &set, const Value *own,
                                                  const uint64_t *__restrict__ members,
                                                  const int32_t *__restrict__ steps, uint64_t i, uint64_t end) {
    for (; i < end && (i % 4 != 0 || steps == nullptr); i++)
        enter<kValuesFit>(set, *(own - members[i]));
    if (i + kUnroll <= end) {
        const Value *source = own - members[i] - steps[i];
        for (; i + kUnroll <= end; i += kUnroll)
            source = gather_run<kValuesFit>(set, source, steps + i);
    }
    for (; i < end; i++)
        enter<kValuesFit>(set, *(own - members[i]));
}

/* The same for members that lead only some lanes to a heap size below `known`. */
template <bool kValuesFit, class Value>
static __device__ void gather_some(const value_set &set, const Value *values, const uint64_t *members, uint64_t i,
                                   uint64_t end, uint64_t p, uint64_t known) {
    for (; i < end; i++) {
        uint64_t option = p - members[i]; /* past 2^63 when there are fewer tokens than that */
        if (option < known)
            enter<kValuesFit>(set, values[option]);
    }
}

/* The missing values of a set that are still to come: `left` has those of this word, as bits; then come later words. */
struct missing_values {
    uint32_t word;
    uint32_t left;
};

/* Whether there is one more, in this word or a later one; its value. */
static __device__ __forceinline__ bool next_missing(const value_set &set, missing_values &at, uint32_t *value) {
    while (at.left == 0) {
        if (++at.word == set.count)
            return false;
        at.left = ~set.words[at.word * kStride];
    }
    *value = set.first + 32 * at.word + (uint32_t)__ffs((int)at.left) - 1;
    at.left &= at.left - 1;
    return true;
}

/* The bits of the window from the base on, which lies in word `w` of the set. */
static __device__ __forceinline__ void read_bits(const value_set &set, uint32_t w, sg_window *window) {
    uint32_t low = set.words[w * kStride];
#pragma unroll
    for (uint32_t i = 0; i < SG_WINDOW_WORDS; i++) {
        uint32_t high = set.words[(w + i + 1) * kStride];
        window->seen[i] = __funnelshift_r(low, high, window->base & 31);
        low = high;
    }
}

/* The window of a finished set: the least missing values are its holes, the next one its base. Returns false when the
 * set does not hold all that, and is to begin further up, with set->first. Where it cannot, the least one is the base.
 */
static __device__ bool read_window(value_set *set, sg_window *window) {
    missing_values at = {0, ~set->words[0]};
    uint32_t least = 0;
    if (!next_missing(*set, at, &least)) {
        set->first += 32 * set->count;
        return false;
    }
    uint32_t least_word = at.word;
    window->holes[0] = least;
    bool all_lie_there = true;
#pragma unroll
    for (uint32_t h = 1; h < SG_WINDOW_HOLES; h++)
        all_lie_there = all_lie_there && next_missing(*set, at, &window->holes[h]);
    all_lie_there = all_lie_there && next_missing(*set, at, &window->base) && at.word + SG_WINDOW_WORDS < set->count;
    if (!all_lie_there && least_word > 0) {
        set->first += 32 * least_word;
        return false;
    }
    if (!all_lie_there) {
#pragma unroll
        for (uint32_t h = 0; h < SG_WINDOW_HOLES; h++)
            window->holes[h] = SG_WINDOW_NO_VALUE;
        window->base = least;
    }
    read_bits(*set, all_lie_there ? at.word : least_word, window);
    return true;
}

/* Grid: tiles of as many heap sizes as a block has threads. Shared memory: `words` words a thread. Lanes past the end
 * repeat the last heap size. */
template <class Value, bool kValuesFit>
static __global__ void __launch_bounds__(SG_CUDA_NIM_TILE_POS, SG_CUDA_NIM_BLOCKS_LEAST)
    far_kernel(const Value *values, const uint64_t *__restrict__ members, const int32_t *__restrict__ steps,
               uint64_t member_count, uint64_t first, uint64_t end, uint64_t known, uint32_t words,
               sg_window *windows) {
    SG_DYN_SHARED(uint32_t, sets);
    uint64_t tile = first + (uint64_t)blockIdx.x * blockDim.x;
    uint64_t last = tile + blockDim.x < end ? tile + blockDim.x - 1 : end - 1;
    uint64_t p = tile + threadIdx.x < last ? tile + threadIdx.x : last;
    far_members range = members_of_tile(members, member_count, tile, last, known);
    value_set set = {sets + threadIdx.x, words, 0};
    sg_window window = {};
    do {
        for (uint32_t w = 0; w < words; w++)
            set.words[w * kStride] = 0;
        gather_some<kValuesFit>(set, values, members, range.lowest, range.all_first, p, known);
        gather_all<kValuesFit>(set, values + p, members, steps, range.all_first, range.all_end);
        gather_some<kValuesFit>(set, values, members, range.all_end, range.end, p, known);
    } while (!read_window(&set, &window) && !kValuesFit);
    if (tile + threadIdx.x == p)
        windows[p - first] = window;
}

uint64_t sg_nim_far_shared_bytes(uint64_t most) {
    /* The base is at most one past the holes, and read_bits looks at a window's words and one more. */
    return ((most + SG_WINDOW_HOLES) / 32 + 1 + SG_WINDOW_WORDS + 1) * sizeof(uint32_t) * SG_CUDA_NIM_TILE_POS;
}

template <class Value> static cudaError_t prepare(uint64_t shared_bytes) {
    cudaError_t error = sg_allow_shared(far_kernel<Value, true>, shared_bytes);
    if (error == cudaSuccess)
        error = sg_allow_shared(far_kernel<Value, false>, shared_bytes);
    if (error == cudaSuccess)
        error = sg_prefer_shared(far_kernel<Value, true>);
    if (error == cudaSuccess)
        error = sg_prefer_shared(far_kernel<Value, false>);
    return error;
}

cudaError_t sg_nim_far_prepare(sg_cuda_shape shape) {
    cudaError_t error = prepare<uint16_t>(shape.shared_bytes);
    return error == cudaSuccess ? prepare<uint32_t>(shape.shared_bytes) : error;
}

cudaError_t sg_nim_far(sg_nim_table table, uint64_t first, uint64_t end, uint64_t known, uint64_t shared_bytes,
                       bool values_fit, sg_window *windows, cudaStream_t stream) {
    uint32_t words = (uint32_t)(shared_bytes / sizeof(uint32_t) / SG_CUDA_NIM_TILE_POS);
    dim3 grid((unsigned)((end - first + SG_CUDA_NIM_TILE_POS - 1) / SG_CUDA_NIM_TILE_POS)), block(SG_CUDA_NIM_TILE_POS);
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return sg_launch(values_fit ? far_kernel<Value, true> : far_kernel<Value, false>, grid, block, shared_bytes,
                         stream, values, table.members, table.steps, table.member_count, first, end, known, words,
                         windows);
    });
}
