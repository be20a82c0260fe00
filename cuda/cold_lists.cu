/* Cold positions as lists: count them in chunks of 1024 columns, add the counts up (Thrust), let each chunk write its
 * own. Nothing returns to the host: who reads the lists finds their lengths in the sums. */
#include "device.cuh"

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

/* What Thrust's scan takes for itself, out of memory that was planned. */
struct scratch_allocator {
    using value_type = char;
    char *next;
    char *end;

    char *allocate(std::ptrdiff_t bytes) {
        std::ptrdiff_t rounded = (bytes + 255) / 256 * 256;
        if (rounded > end - next)
            throw std::bad_alloc();
        char *given = next;
        next += rounded;
        return given;
    }
    void deallocate(char *, std::size_t) {}
};

/* The cold bits among columns 32 w .. 32 w + 31 of a line that lie in the range of the list. */
static __device__ __forceinline__ uint32_t word_in_range(const sg_cuda_cold_list &list, const uint32_t *line,
                                                         uint64_t w) {
    uint64_t end = list.first + list.columns;
    if (32 * w >= end)
        return 0;
    uint32_t word = line[w];
    if (32 * w < list.first)
        word &= ~0u << (list.first - 32 * w);
    if (32 * w + 32 > end)
        word &= ~0u >> (32 * w + 32 - end);
    return word;
}

/* The word of this lane: warp i / chunks is a source row, i % chunks a chunk of it, a lane a word. */
struct chunk_place {
    uint64_t chunk; /* of all rows */
    uint64_t w;
    uint32_t word;
};

static __device__ __forceinline__ chunk_place place_of(const sg_cuda_layout &layout, const uint32_t *cold,
                                                       const sg_cuda_node &node, const sg_cuda_cold_list &list) {
    chunk_place place = {global_thread() / kLanes, 0, 0};
    if (place.chunk >= node.row_count * list.chunks)
        return place;
    uint64_t row = place.chunk / list.chunks, level = 0;
    place.w = list.first / 32 + (place.chunk - row * list.chunks) * kLanes + threadIdx.x % kLanes;
    while (row >= node.ends[layout.levels + level] - node.ends[level])
        row -= node.ends[layout.levels + level] - node.ends[level], level++;
    uint64_t line = level * layout.modulus + node.rows[node.ends[level] + row];
    place.word = word_in_range(list, line_words(layout, cold, line), place.w);
    return place;
}

static __global__ void SG_CUDA_BOUNDS count_cold_kernel(sg_cuda_layout layout, const uint32_t *cold, sg_cuda_node node,
                                                        sg_cuda_cold_list list) {
    chunk_place place = place_of(layout, cold, node, list);
    uint32_t count = __reduce_add_sync(kFullWarp, (unsigned)__popc(place.word));
    /* One more than there are chunks: the sums then end with the total. */
    if (threadIdx.x % kLanes == 0 && place.chunk <= node.row_count * list.chunks)
        list.starts[place.chunk] = count;
}

static __global__ void SG_CUDA_BOUNDS write_cold_kernel(sg_cuda_layout layout, const uint32_t *cold, sg_cuda_node node,
                                                        sg_cuda_cold_list list) {
    chunk_place place = place_of(layout, cold, node, list);
    uint32_t lane = threadIdx.x % kLanes, count = (uint32_t)__popc(place.word), before = count;
    if (place.chunk >= node.row_count * list.chunks)
        return; /* the whole warp */
    for (uint32_t step = 1; step < kLanes; step *= 2) {
        uint32_t other = __shfl_up_sync(kFullWarp, before, step);
        before += lane >= step ? other : 0;
    }
    uint32_t *entry = list.entries + list.starts[place.chunk] + before - count;
    for (uint32_t rest = place.word; rest != 0; rest &= rest - 1)
        *entry++ = (uint32_t)(32 * place.w + (uint64_t)(__ffs((int)rest) - 1) - list.first);
}

cudaError_t sg_cuda_list_cold(sg_cuda_layout layout, const uint32_t *cold, const sg_cuda_node *node,
                              const sg_cuda_cold_list *list, void *scratch, uint64_t scratch_bytes,
                              cudaStream_t stream) {
    uint64_t chunks = node->row_count * list->chunks;
    scratch_allocator allocator = {static_cast<char *>(scratch), static_cast<char *>(scratch) + scratch_bytes};
    cudaError_t error = launch_threads(count_cold_kernel, (chunks + 1) * kLanes, stream, layout, cold, *node, *list);
    if (error != cudaSuccess)
        return error;
    try {
        thrust::exclusive_scan(SG_THRUST(stream, allocator), list->starts, list->starts + chunks + 1, list->starts);
    } catch (const std::bad_alloc &) {
        return cudaErrorMemoryAllocation;
    } catch (const std::exception &) { /* Thrust throws what a call inside it returned */
        error = cudaGetLastError();
        return error == cudaSuccess ? cudaErrorUnknown : error;
    }
    return launch_threads(write_cold_kernel, chunks * kLanes, stream, layout, cold, *node, *list);
}
