/* A contribution between the halves of a block of nim-values: a lane has a target, keeps its window in registers, and
 * looks up the members that lead from its tile into the source. Sources are few (half a block at the most), so a member
 * that misses for some lanes costs little. */
#include "nim.cuh"

/* Grid: tiles of targets. */
template <class Value>
static __global__ void SG_CUDA_BOUNDS cross_kernel(const Value *values, const uint64_t *__restrict__ members,
                                                   uint64_t member_count, sg_node node, uint64_t window_first,
                                                   sg_window *windows, const sg_nim_state *state) {
    uint64_t tile = node.target_first + (uint64_t)blockIdx.x * blockDim.x, p = tile + threadIdx.x;
    if (p >= node.target_end || state->stuck != ~0ull)
        return;
    uint64_t source_end = node.first + node.columns, last = tile + blockDim.x - 1;
    uint64_t i = lower_bound(members, UINT64_C(0), member_count, tile - source_end + 1);
    uint64_t end = lower_bound(members, i, member_count, last - node.first + 1);
    const Value *source = values + node.first;
    sg_window window = windows[p - window_first];
#pragma unroll kUnroll
    for (; i < end; i++) {
        uint64_t at = p - members[i] - node.first; /* past 2^63 when it lies before the source */
        if (at < node.columns)
            mark_window(window, source[at]);
    }
    windows[p - window_first] = window;
}

cudaError_t sg_nim_cross_prepare() {
    cudaError_t error = sg_prefer_shared(cross_kernel<uint16_t>);
    return error == cudaSuccess ? sg_prefer_shared(cross_kernel<uint32_t>) : error;
}

cudaError_t sg_nim_cross(sg_nim_table table, const sg_node *node, uint64_t window_first, sg_window *windows,
                         const sg_nim_state *state, cudaStream_t stream) {
    return with_values(table, [&](auto *values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        return launch_threads(cross_kernel<Value>, node->target_end - node->target_first, stream, values, table.members,
                              table.member_count, *node, window_first, windows, state);
    });
}
