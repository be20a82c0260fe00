/* scatter: for each cold position c and each member s, mark c + s.
 *
 * A block owns a segment of a target row in shared memory, as long as the device's shared memory allows and the number
 * of blocks demands. A warp takes one listed cold position at a time; lane g takes group g of the class, finds where
 * its members begin to fall into the segment, and marks until they leave it. */
#include "device.cuh"

/* The part of a row that a block owns, in columns. */
struct segment_range {
    uint64_t first;
    uint64_t end;
};

static __device__ uint32_t mark_from(uint32_t *segment, segment_range range, uint64_t column,
                                     const sg_cuda_class &shifts, const uint32_t *list, uint32_t lane) {
    uint64_t base = column + lane; /* of the smallest member of the group */
    int64_t words = range.first > base ? (int64_t)((range.first - base + 31) / 32) : 0;
    uint32_t marks = 0;
    for (uint32_t i = lower_bound(list, shifts.group[lane], shifts.group[lane + 1], words); i < shifts.group[lane + 1];
         i++) {
        uint64_t target = base + 32 * (uint64_t)list[i];
        if (target >= range.end)
            break;
        atomicOr(&segment[(target - range.first) / 32], 1u << (target % 32));
        marks++;
    }
    return marks;
}

/* Grid: segments of a line, then lines. segment_words of dynamic shared memory. */
static __global__ void SG_CUDA_BOUNDS scatter_kernel(sg_cuda_layout layout, uint32_t *hot, sg_cuda_shifts shifts,
                                                     sg_cuda_node node, sg_cuda_cold_list list, uint32_t segment_words,
                                                     uint64_t segments, sg_cuda_work *work) {
    SG_DYN_SHARED(uint32_t, segment);
    uint64_t line = blockIdx.x / segments;
    uint32_t level = (uint32_t)(line / layout.modulus), r = (uint32_t)(line - (uint64_t)level * layout.modulus);
    uint64_t first_word = node.target_first / 32 + (blockIdx.x - line * segments) * segment_words;
    uint64_t end_word = (node.target_end + 31) / 32;
    if (end_word > first_word + segment_words)
        end_word = first_word + segment_words;
    segment_range range = {32 * first_word, 32 * end_word};
    uint32_t lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes, marks = 0;

    for (uint32_t w = threadIdx.x; w < segment_words; w += blockDim.x)
        segment[w] = 0;
    __syncthreads();
    uint64_t source = 0;
    for (uint32_t lower = 0; lower < level; lower++)
        source += node.ends[layout.levels + lower] - node.ends[lower];
    for (uint64_t i = node.ends[level]; i < node.ends[layout.levels + level]; i++, source++) {
        uint32_t t = residue_between(layout, r, node.rows[i]);
        const sg_cuda_class &members = shifts.classes[t];
        if (members.count == 0 || members.is_dense)
            continue;
        uint32_t end = list.starts[(source + 1) * list.chunks];
        for (uint32_t at = list.starts[source * list.chunks] + warp; at < end; at += warps)
            marks += mark_from(segment, range, list.first + list.entries[at] + (r < t), members,
                               shifts.words + members.first, lane);
    }
    __syncthreads();
    uint32_t *target = line_words(layout, hot, line) + first_word;
    for (uint32_t w = threadIdx.x; w < end_word - first_word; w += blockDim.x)
        if (segment[w] != 0)
            target[w] |= segment[w];
    marks = __reduce_add_sync(kFullWarp, marks);
    if (lane == 0 && marks != 0)
        atomicAdd(&work->marks, (unsigned long long)marks);
}

cudaError_t sg_cuda_scatter_prepare(sg_cuda_shape shape) {
    return sg_allow_shared(scatter_kernel, shape.shared_bytes);
}

cudaError_t sg_cuda_scatter(sg_cuda_layout layout, sg_cuda_shape shape, uint32_t *hot, sg_cuda_shifts shifts,
                            const sg_cuda_node *node, const sg_cuda_cold_list *list, sg_cuda_work *work,
                            cudaStream_t stream) {
    uint64_t lines = (uint64_t)layout.modulus * layout.levels;
    uint64_t words = (node->target_end + 31) / 32 - node->target_first / 32;
    uint64_t segment_words = words * lines / ((uint64_t)shape.multiprocessors * SG_CUDA_SCATTER_BLOCKS) + 1;
    if (segment_words < SG_CUDA_SEGMENT_LEAST_WORDS)
        segment_words = SG_CUDA_SEGMENT_LEAST_WORDS;
    if (segment_words > shape.shared_bytes / 4)
        segment_words = shape.shared_bytes / 4;
    if (segment_words > words)
        segment_words = words;
    uint64_t segments = (words + segment_words - 1) / segment_words;
    if (lines * segments > 0x7fffffffu)
        return cudaErrorInvalidConfiguration;
    return sg_launch(scatter_kernel, dim3((unsigned)(lines * segments)), dim3(SG_CUDA_BLOCK_THREADS), 4 * segment_words,
                     stream, layout, hot, shifts, *node, *list, (uint32_t)segment_words, segments, work);
}
