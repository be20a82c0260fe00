/* shift_or: target |= source << s, for every member s that crosses from the source block into the target.
 *
 * A warp owns a tile of a target row in registers: WORDS words a lane, lane i holding words i, i + 32, ... so that
 * every load of 32 neighbouring words is one transaction. A shift by 32 w + b columns is a load at word offset -w, and
 * a funnel shift by b with the word before. Shifts come grouped by b: within a group the loads are only or'ed together,
 * one load and one OR a word and shift, and one funnel shift finishes the group. Only the first lane needs a word from
 * outside the tile; the others get theirs from a neighbour. Warps share nothing, so there is no barrier, and a tile
 * that is all hot is left at once.
 *
 * For dense classes of S the parts are exchanged: the class is the row of bits, the listed cold positions are the
 * shifts. They rise, so that each has its own b and is a group of its own: dearer, but a few of them mark a whole tile.
 */
#include "device.cuh"

template <int WORDS> struct tile_words {
    uint32_t marks[WORDS]; /* what the tile becomes */
    uint32_t sum[WORDS];   /* of the group in hand, not yet shifted by b */
    uint32_t carry;        /* first lane: the same for the word before the tile */
};

/* Ors the tile's window of a row, `words` back, into the group. `row` points at the tile's first word. */
template <int WORDS>
static __device__ __forceinline__ void add_shift(tile_words<WORDS> &tile, const uint32_t *row, int64_t words,
                                                 uint32_t lane) {
    const uint32_t *window = row - words;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        tile.sum[k] |= window[k * kLanes + lane];
    if (lane == 0)
        tile.carry |= window[-1];
}

/* Shifts the group by b (0 .. 32) and begins a new one. */
template <int WORDS>
static __device__ __forceinline__ void finish_group(tile_words<WORDS> &tile, uint32_t b, uint32_t lane) {
    uint32_t before = tile.carry;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        uint32_t neighbour = __shfl_sync(kFullWarp, tile.sum[k], (int)((lane + kLanes - 1) % kLanes));
        tile.marks[k] |= __funnelshift_lc(lane == 0 ? before : neighbour, tile.sum[k], b);
        before = neighbour; /* the first lane's is the last word of these 32, which the next 32 begin after */
        tile.sum[k] = 0;
    }
    tile.carry = 0;
}

template <int WORDS> static __device__ __forceinline__ bool is_all_hot(const tile_words<WORDS> &tile) {
    uint32_t all = ~0u;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        all &= tile.marks[k];
    return __all_sync(kFullWarp, all == ~0u);
}

/* Counts shifts, and says when it is time to look. */
struct shift_counter {
    uint64_t shifts;
    uint64_t looked;

    __device__ __forceinline__ bool is_due() {
        if (shifts - looked < SG_CUDA_LOOK_SHIFTS)
            return false;
        looked = shifts;
        return true;
    }
};

/* All members of a listed class that reach the tile from the source block. Returns whether the tile is all hot. Lane g
 * finds the window of group g. */
template <int WORDS>
static __device__ bool shift_by_members(tile_words<WORDS> &tile, const uint32_t *cold_row, uint64_t tile_column,
                                        const sg_cuda_node &node, const sg_cuda_class &shifts, const uint32_t *words,
                                        uint32_t borrow, uint32_t lane, shift_counter &counter) {
    const uint32_t *list = words + shifts.first, *row = cold_row + tile_column / 32;
    /* Shifts d with d > tile_column - end of the source, d < end of the tile - first of the source; d = 32 w + g +
     * borrow. */
    int64_t least = (int64_t)tile_column - (int64_t)(node.first + node.columns) + 1 - (int64_t)(lane + borrow);
    int64_t past = (int64_t)(tile_column + WORDS * 1024) - (int64_t)node.first - (int64_t)(lane + borrow);
    uint32_t first = lower_bound(list, shifts.group[lane], shifts.group[lane + 1], least > 0 ? (least + 31) / 32 : 0);
    uint32_t end = lower_bound(list, first, shifts.group[lane + 1], past > 0 ? (past + 31) / 32 : 0);
    for (uint32_t open = __ballot_sync(kFullWarp, first < end); open != 0; open &= open - 1) {
        uint32_t g = (uint32_t)__ffs((int)open) - 1;
        uint32_t from = __shfl_sync(kFullWarp, first, (int)g), to = __shfl_sync(kFullWarp, end, (int)g);
#pragma unroll 4
        for (uint32_t i = from; i < to; i++)
            add_shift(tile, row, (int64_t)list[i], lane);
        finish_group(tile, g + borrow, lane);
        counter.shifts += to - from;
        if (counter.is_due() && is_all_hot(tile))
            return true;
    }
    return false;
}

/* The bits of a dense class, shifted by each listed cold position of a row. */
template <int WORDS>
static __device__ bool shift_by_cold(tile_words<WORDS> &tile, const uint32_t *class_row, uint64_t tile_column,
                                     const sg_cuda_cold_list &list, uint64_t source, uint32_t borrow, uint32_t lane,
                                     shift_counter &counter) {
    uint32_t first = list.starts[source * list.chunks], end = list.starts[(source + 1) * list.chunks];
    for (uint32_t i = end; i-- > first;) { /* the nearest first: small members mark more */
        uint64_t shift = list.first + list.entries[i] + borrow;
        add_shift(tile, class_row + tile_column / 32, (int64_t)(shift / 32), lane);
        finish_group(tile, (uint32_t)(shift % 32), lane);
        counter.shifts++;
        if (counter.is_due() && is_all_hot(tile))
            return true;
    }
    return false;
}

/* One warp a tile; neighbouring warps take neighbouring tiles of a row, whose windows overlap in the cache. */
template <int WORDS>
static __global__ void SG_CUDA_BOUNDS shift_or_kernel(sg_cuda_layout layout, uint32_t *hot, const uint32_t *cold,
                                                      sg_cuda_shifts shifts, sg_cuda_node node, sg_cuda_cold_list list,
                                                      uint64_t first_tile, uint64_t tiles, sg_cuda_work *work) {
    uint64_t warp = global_thread() / kLanes, line = warp / tiles;
    uint32_t lane = threadIdx.x % kLanes;
    if (line >= (uint64_t)layout.modulus * layout.levels)
        return; /* the whole warp */
    uint32_t level = (uint32_t)(line / layout.modulus), r = (uint32_t)(line - (uint64_t)level * layout.modulus);
    uint64_t tile_column = (first_tile + warp - line * tiles) * WORDS * 1024;
    uint32_t *target = line_words(layout, hot, line) + tile_column / 32;
    tile_words<WORDS> tile = {};
    shift_counter counter = {0, 0};
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        tile.marks[k] = target[k * kLanes + lane];
    if (is_all_hot(tile))
        return;
    uint64_t source = 0; /* in the order of the lists, which hold all levels */
    for (uint32_t lower = 0; lower < level; lower++)
        source += node.ends[layout.levels + lower] - node.ends[lower];
    bool done = false;
    for (uint64_t i = node.ends[level]; i < node.ends[layout.levels + level] && !done; i++, source++) {
        uint32_t s = node.rows[i], t = residue_between(layout, r, s);
        const sg_cuda_class &members = shifts.classes[t];
        if (members.count == 0 || (members.is_dense != 0) != (list.entries != nullptr))
            continue;
        if (members.is_dense)
            done = shift_by_cold(tile, line_words(layout, shifts.bits, members.first), tile_column, list, source, r < t,
                                 lane, counter);
        else
            done = shift_by_members(tile, line_words(layout, cold, (uint64_t)level * layout.modulus + s), tile_column,
                                    node, members, shifts.words, r < t, lane, counter);
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        target[k * kLanes + lane] = tile.marks[k];
    if (lane == 0 && counter.shifts != 0)
        atomicAdd(&work->shifts, (unsigned long long)counter.shifts * WORDS * kLanes);
}

cudaError_t sg_cuda_shift_or(sg_cuda_layout layout, sg_cuda_shape shape, uint32_t *hot, const uint32_t *cold,
                             sg_cuda_shifts shifts, const sg_cuda_node *node, const sg_cuda_cold_list *list,
                             sg_cuda_work *work, cudaStream_t stream) {
    sg_cuda_cold_list none = {};
    uint64_t lines = (uint64_t)layout.modulus * layout.levels, wide = SG_CUDA_WIDE_WORDS * 1024;
    uint64_t wide_tiles = (node->target_end - 1) / wide - node->target_first / wide + 1;
    bool is_wide = lines * wide_tiles >= (uint64_t)shape.multiprocessors * SG_CUDA_WIDE_WARPS;
    uint64_t columns = is_wide ? wide : 1024, first_tile = node->target_first / columns;
    uint64_t tiles = (node->target_end - 1) / columns - first_tile + 1;
    return launch_threads(is_wide ? shift_or_kernel<SG_CUDA_WIDE_WORDS> : shift_or_kernel<1>, lines * tiles * kLanes,
                          stream, layout, hot, cold, shifts, *node, list ? *list : none, first_tile, tiles, work);
}
