/* Counts become hot marks, merged with the marks that are there (of earlier nodes, hotspots and levels) in one pass: a
 * warp votes on 32 columns and ors its ballot into their word. */
#include "complex.cuh"

/* One thread a column from the target's first word on, so that a word is one warp's. Counts of pieces that lie past the
 * target's end are not looked at. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS threshold_kernel(sg_cuda_layout layout, sg_cuda_pieces pieces, sg_cuda_node node,
                                                       uint64_t words, const Complex *sums, uint32_t *hot,
                                                       uint32_t *doubt) {
    using Real = typename precision<Complex>::Real;
    uint64_t warp = global_thread() / kLanes, line = warp / words, w = node.target_first / 32 + warp - line * words;
    if (line >= pieces.line_count)
        return; /* the whole warp */
    uint64_t column = 32 * w + threadIdx.x % kLanes;
    bool is_hot = false, is_doubtful = false;
    if (column >= node.target_first && column < node.target_end) {
        uint64_t offset = column - (node.first + node.columns), piece = offset >> pieces.level;
        uint64_t x = offset & (((uint64_t)1 << pieces.level) - 1);
        Complex sum = sums[((line * pieces.count + piece) << pieces.level) + x];
        Complex factor = twist<Complex>(x, pieces.level);
        Real count = sum.y * factor.x - sum.x * factor.y; /* the imaginary part, untwisted */
        is_hot = count >= (Real)0.75;
        is_doubtful = !(fabs(count - rint(count)) <= (Real)0.25); /* so that NaN is doubtful */
    }
    uint32_t marks = __ballot_sync(kFullWarp, is_hot);
    bool any_doubt = __any_sync(kFullWarp, is_doubtful);
    if (threadIdx.x % kLanes != 0)
        return;
    if (marks != 0)
        line_words(layout, hot, pieces.first_line + line)[w] |= marks;
    if (any_doubt)
        atomicOr(doubt, 1u);
}

cudaError_t sg_cuda_threshold(sg_cuda_layout layout, sg_cuda_pieces pieces, const sg_cuda_node *node, const void *sums,
                              uint32_t *hot, uint32_t *doubt, cudaStream_t stream) {
    uint64_t words = (node->target_end + 31) / 32 - node->target_first / 32;
    uint64_t threads = pieces.line_count * words * kLanes;
    if (pieces.in_double)
        return launch_threads(threshold_kernel<double2>, threads, stream, layout, pieces, *node, words,
                              static_cast<const double2 *>(sums), hot, doubt);
    return launch_threads(threshold_kernel<float2>, threads, stream, layout, pieces, *node, words,
                          static_cast<const float2 *>(sums), hot, doubt);
}
