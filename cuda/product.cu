/* The products of all source pieces that reach a target piece, summed in the frequency domain: one inverse transform a
 * target piece, however many pieces and rows its sources have. */
#include "complex.cuh"

/* One thread a number of a target piece: it reads each source and each stored transform once, all of them coalesced. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS multiply_kernel(sg_cuda_layout layout, sg_cuda_pieces pieces,
                                                      const sg_cuda_class *classes, sg_cuda_node node,
                                                      const Complex *sources, const Complex *stored, Complex *sums) {
    using Real = typename precision<Complex>::Real;
    uint64_t i = global_thread(), target = i >> pieces.level, length = (uint64_t)1 << pieces.level,
             k = i & (length - 1);
    if (target >= pieces.line_count * pieces.count)
        return;
    uint64_t line = target / pieces.count, piece = target - line * pieces.count;
    uint32_t r = (uint32_t)((pieces.first_line + line) % layout.modulus);
    uint64_t level = (pieces.first_line + line) / layout.modulus,
             level_line = level * layout.modulus - pieces.first_line;
    Real re = 0, im = 0;
    for (uint64_t at = node.ends[level]; at < node.ends[layout.levels + level]; at++) {
        uint32_t s = node.rows[at];
        if (classes[residue_between(layout, r, s)].count == 0)
            continue;
        /* Windows of the difference r - s are counted from 1; source piece 0 takes number count + piece. */
        uint64_t window = ((uint64_t)r + layout.modulus - 1 - s) * pieces.windows + pieces.count + piece - 1;
        const Complex *source = sources + ((level_line + s) * pieces.count * length + k);
        const Complex *factor = stored + (window * length + k);
        for (uint64_t j = 0; j < pieces.count; j++, source += length, factor -= length) {
            Complex a = *source, b = *factor;
            re += a.x * b.x - a.y * b.y;
            im += a.x * b.y + a.y * b.x;
        }
    }
    sums[i] = precision<Complex>::make(re, im);
}

cudaError_t sg_cuda_multiply(sg_cuda_layout layout, sg_cuda_pieces pieces, sg_cuda_shifts shifts,
                             const sg_cuda_node *node, const void *sources, const void *stored, void *sums,
                             cudaStream_t stream) {
    uint64_t threads = pieces.line_count * pieces.count << pieces.level;
    if (pieces.in_double)
        return launch_threads(multiply_kernel<double2>, threads, stream, layout, pieces, shifts.classes, *node,
                              static_cast<const double2 *>(sources), static_cast<const double2 *>(stored),
                              static_cast<double2 *>(sums));
    return launch_threads(multiply_kernel<float2>, threads, stream, layout, pieces, shifts.classes, *node,
                          static_cast<const float2 *>(sources), static_cast<const float2 *>(stored),
                          static_cast<float2 *>(sums));
}
