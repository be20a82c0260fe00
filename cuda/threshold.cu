/* Counts become hot marks, merged with the marks that are there (of earlier nodes, hotspots and levels) in one pass: a
 * warp votes on 32 columns and ors its ballot into their word. Before it, all counts of the node are looked at: when
 * one is doubtful, none is trusted, and no mark is made. */
#include "complex.cuh"

/* Where the counts of a node's target are. */
template <class Complex> struct counts {
    sg_cuda_pieces pieces;
    uint64_t first; /* column of the target block */
    const Complex *sums;
};

/* Of ways to reach a column of the target, which is past `first`: the imaginary part, untwisted. */
template <class Complex>
static __device__ __forceinline__ typename precision<Complex>::Real count_at(const counts<Complex> &from, uint64_t line,
                                                                             uint64_t column) {
    uint64_t offset = column - from.first, piece = offset >> from.pieces.level;
    uint64_t x = offset & (((uint64_t)1 << from.pieces.level) - 1);
    Complex sum = from.sums[((line * from.pieces.count + piece) << from.pieces.level) + x];
    Complex factor = twist<Complex>(x, from.pieces.level);
    return sum.y * factor.x - sum.x * factor.y;
}

/* The column of a thread: a warp takes a word, and words are counted from the target's first one. */
struct target_place {
    uint64_t line;
    uint64_t w;
    uint64_t column;
    bool is_target;
};

static __device__ __forceinline__ target_place place_of(const sg_cuda_node &node, uint64_t words) {
    uint64_t warp = global_thread() / kLanes, line = warp / words, w = node.target_first / 32 + warp - line * words;
    uint64_t column = 32 * w + threadIdx.x % kLanes;
    return {line, w, column, column >= node.target_first && column < node.target_end};
}

/* One thread a column, one atomic a warp with a doubtful count. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS inspect_kernel(counts<Complex> from, sg_cuda_node node, uint64_t words,
                                                     uint32_t *doubt) {
    using Real = typename precision<Complex>::Real;
    target_place place = place_of(node, words);
    bool is_doubtful = false;
    if (place.line < from.pieces.line_count && place.is_target) {
        Real count = count_at(from, place.line, place.column);
        is_doubtful = !(fabs(count - rint(count)) <= (Real)0.25); /* so that NaN is doubtful */
    }
    if (__any_sync(kFullWarp, is_doubtful) && threadIdx.x % kLanes == 0)
        atomicOr(doubt, 1u);
}

/* One thread a column, one warp a word. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS threshold_kernel(sg_cuda_layout layout, counts<Complex> from, sg_cuda_node node,
                                                       uint64_t words, uint32_t *hot, const uint32_t *doubt) {
    using Real = typename precision<Complex>::Real;
    target_place place = place_of(node, words);
    if (place.line >= from.pieces.line_count || *doubt != 0)
        return; /* the whole warp */
    bool is_hot = place.is_target && count_at(from, place.line, place.column) > (Real)0.5;
    uint32_t marks = __ballot_sync(kFullWarp, is_hot);
    if (marks != 0 && threadIdx.x % kLanes == 0)
        line_words(layout, hot, from.pieces.first_line + place.line)[place.w] |= marks;
}

template <class Complex>
static cudaError_t threshold(const sg_cuda_layout &layout, const sg_cuda_pieces &pieces, const sg_cuda_node &node,
                             const Complex *sums, uint32_t *hot, uint32_t *doubt, cudaStream_t stream) {
    uint64_t words = (node.target_end + 31) / 32 - node.target_first / 32;
    uint64_t threads = pieces.line_count * words * kLanes;
    counts<Complex> from = {pieces, node.first + node.columns, sums};
    cudaError_t error = launch_threads(inspect_kernel<Complex>, threads, stream, from, node, words, doubt);
    if (error != cudaSuccess)
        return error;
    return launch_threads(threshold_kernel<Complex>, threads, stream, layout, from, node, words, hot, doubt);
}

cudaError_t sg_cuda_threshold(sg_cuda_layout layout, sg_cuda_pieces pieces, const sg_cuda_node *node, const void *sums,
                              uint32_t *hot, uint32_t *doubt, cudaStream_t stream) {
    if (pieces.in_double)
        return threshold(layout, pieces, *node, static_cast<const double2 *>(sums), hot, doubt, stream);
    return threshold(layout, pieces, *node, static_cast<const float2 *>(sums), hot, doubt, stream);
}
