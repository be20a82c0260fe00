/* A base case of nim-values. In rising order this would be a chain, heap size by heap size (when 1 is in S, each value
 * depends on the one before). Here one block of threads decides a strip of heap sizes at once, by guessing and mending:
 * every lane forms its mex from its window and its neighbours' guesses, and again, until a round changes nothing. The
 * lane of the least heap size is right from the first round on, the next one a round later at the latest, so what stays
 * unchanged is the solution; and since a neighbour's value seldom is just what a lane's own mex depends on, a few
 * rounds are enough, where a chain would take as many steps as there are lanes. Options in earlier strips of the base
 * case are marked in the windows first. */
#include "nim.cuh"

static constexpr uint32_t kLimit16 = 0xffffu;
/* Keeps windows, and what is not a value, apart from values. */
static constexpr uint32_t kLimit32 = 0xffffff00u;

/* Marks the options in heap sizes first .. strip-1. */
template <class Value>
static __device__ void mark_earlier(sg_window &window, const Value *values, const uint64_t *members,
                                    uint64_t member_count, uint64_t p, uint64_t first, uint64_t strip) {
    for (uint64_t i = 0; i < member_count && members[i] <= strip + blockDim.x - 1 - first; i++) {
        uint64_t at = p - members[i] - first;
        if (at < strip - first)
            mark_window(window, values[first + at]);
    }
}

/* The mex of every lane, when all agree. `guess` has room for two a lane. Whole blocks only. */
static __device__ uint32_t agree(const sg_window &window, const uint64_t *members, uint64_t member_count,
                                 uint32_t *guess) {
    uint32_t *old = guess, *next = guess + blockDim.x, value = SG_WINDOW_NO_VALUE;
    old[threadIdx.x] = value;
    __syncthreads();
    for (;;) {
        sg_window trial = window;
        for (uint64_t i = 0; i < member_count && members[i] <= threadIdx.x; i++)
            mark_window(trial, old[threadIdx.x - members[i]]);
        uint32_t mended = least_missing(trial);
        bool changed = mended != value;
        value = next[threadIdx.x] = mended;
        if (!__syncthreads_or(changed))
            return value;
        uint32_t *swap = old;
        old = next;
        next = swap;
    }
}

/* One block of threads. Lanes past the end of a strip repeat its last heap size: no lane before them looks at them. */
template <class Value>
static __global__ void __launch_bounds__(SG_CUDA_NIM_STRIP_POS)
    near_kernel(Value *values, const uint64_t *__restrict__ members, uint64_t member_count, uint64_t first,
                uint64_t end, uint64_t window_first, const sg_window *windows, sg_nim_state *state) {
    SG_SHARED(uint32_t, guess, 2 * SG_CUDA_NIM_STRIP_POS);
    SG_SHARED(uint32_t, first_open, 1);
    uint32_t limit = sizeof(Value) == 2 ? kLimit16 : kLimit32, largest = 0;
    if (state->stuck != ~0ull)
        return;
    for (uint64_t strip = first; strip < end; strip += blockDim.x) {
        bool is_inside = strip + threadIdx.x < end;
        uint64_t p = is_inside ? strip + threadIdx.x : end - 1;
        sg_window window = windows[p - window_first];
        if (threadIdx.x == 0)
            *first_open = blockDim.x;
        if (strip > first)
            mark_earlier(window, values, members, member_count, p, first, strip);
        uint32_t value = agree(window, members, member_count, guess);
        bool is_open = is_inside && (value == SG_WINDOW_NO_VALUE || value > limit);
        if (is_open)
            atomicMin(first_open, threadIdx.x);
        bool is_stuck = __syncthreads_or(is_open);
        if (is_inside && threadIdx.x < *first_open) {
            values[p] = (Value)value;
            largest = value > largest ? value : largest;
        }
        if (is_stuck && threadIdx.x == *first_open) {
            state->stuck = p;
            state->is_too_wide = value != SG_WINDOW_NO_VALUE;
        }
        if (is_stuck)
            break;
        __syncthreads(); /* the next strip reads these values, and uses the shared memory again */
    }
    largest = __reduce_max_sync(kFullWarp, largest);
    if (threadIdx.x % kLanes == 0)
        atomicMax(&state->largest, largest);
}

cudaError_t sg_nim_near_prepare() {
    cudaError_t error = sg_prefer_shared(near_kernel<uint16_t>);
    return error == cudaSuccess ? sg_prefer_shared(near_kernel<uint32_t>) : error;
}

cudaError_t sg_nim_near(sg_nim_table table, uint64_t first, uint64_t end, uint64_t window_first,
                        const sg_window *windows, sg_nim_state *state, cudaStream_t stream) {
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return sg_launch(near_kernel<Value>, dim3(1), dim3(SG_CUDA_NIM_STRIP_POS), 0, stream, values, table.members,
                         table.member_count, first, end, window_first, windows, state);
    });
}
