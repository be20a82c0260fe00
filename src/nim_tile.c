/* Nim-values by tile dynamic programming.
 *
 * Heap sizes are taken a block at a time, each with a set of the values seen among its options. An option whose heap
 * size lies before the block is known beforehand: these far options are gathered for tiles of 16 consecutive heap sizes
 * at once, whose sources for one s are a run of 16 consecutive values. Spans of tiles are independent, so threads share
 * them; a span takes a batch of members through all its tiles before the next, so that each source line is fetched once
 * a span and not once a tile. The block is then resolved in rising order: options that lead before a tile are gathered
 * likewise, and a heap size whose value is found enters it into the sets of the few later ones of its tile.
 *
 * Sets have room for the values there are; a block that fills them ends early, and the next begins with more. While
 * they are small they are sliced, and gathered in registers; larger ones are flat. See cpu/kernels.h.
 */
#include "cpu/kernels.h"
#include "extremes.h"
#include "job.h"
#include "tuning.h"

#include <omp.h>
#include <string.h>

typedef struct tile_solver {
    sg_job *job;
    sg_values *values;
    const sg_members *members;
    const sg_kernels *kernels;
    bool sliced;     /* else flat */
    uint8_t *seen;   /* the sets of the block's heap sizes, a tile after the other */
    uint64_t room;   /* values that a set has room for */
    uint64_t stride; /* bytes from a set to the next one; of sliced ones, which lie side by side, on average */
    uint64_t largest;
    uint64_t reached[SG_TILE_SLICED_WORDS]; /* the first heap size whose value is 64 * w or more, w >= 1 */
} tile_solver;

static uint64_t room_for(uint64_t value_limit) {
    uint64_t room = 512;
    while (room <= value_limit + 1)
        room *= 2;
    return room;
}

/* A flat set is a byte a value, and a cache line more: at a power of two, the same value of a tile's sets would have
 * the same place in the cache. */
static uint64_t flat_stride(uint64_t room) {
    return sg_add_saturating(room, 64);
}

/* SG_TILE_SETS_BYTES, or the sets of a few tiles when they need more: never less than for fewer values. */
static uint64_t sets_bytes(uint64_t room) {
    uint64_t least = sg_multiply_saturating(SG_TILE_LEAST_TILES * SG_TILE_POS, flat_stride(room));
    return sg_larger(SG_TILE_SETS_BYTES, least);
}

uint64_t sg_nim_tile_bytes(uint64_t value_limit) {
    return sets_bytes(room_for(value_limit));
}

/* The members from this one on lead every heap size of the tile, even the last, to one before `known`. */
static uint64_t least_known(uint64_t known, uint64_t tile) {
    return tile - known + SG_TILE_POS;
}

/* Words that hold the values of the heap sizes below `below`; values of smaller ones need fewer. */
static size_t words_below(const tile_solver *solver, uint64_t below) {
    size_t words = 1;
    while (words <= solver->largest / 64 && solver->reached[words] < below)
        words++;
    return words;
}

/* Enters the values that the listed members, in rising order, lead to into the sets of a tile. */
static void enter(const tile_solver *solver, uint64_t tile, uint8_t *seen, const uint64_t *members, size_t count) {
    const sg_tile_kernels *kernels = solver->kernels->tile;
    const void *values = solver->values->data;
    unsigned bytes = solver->values->bytes;
    if (solver->sliced) {
        size_t words = words_below(solver, tile + SG_TILE_POS - members[0]);
        if (bytes == 1)
            kernels->far_sliced_u8(values, tile, members, count, (uint64_t *)seen, words);
        else
            kernels->far_sliced_u16(values, tile, members, count, (uint64_t *)seen, words);
    } else if (bytes == 1)
        kernels->far_flat_u8(values, tile, members, count, seen, solver->stride);
    else if (bytes == 2)
        kernels->far_flat_u16(values, tile, members, count, seen, solver->stride);
    else
        kernels->far_flat_u32(values, tile, members, count, seen, solver->stride);
}

/* Asks for the first source lines of a member that a later batch takes through the tiles from `first` on; lines past
 * the last value are asked for in vain. */
static void ask_ahead(const tile_solver *solver, uint64_t first, uint64_t member) {
    const char *run = (const char *)solver->values->data + (first - member) * solver->values->bytes;
    for (unsigned line = 0; line <= SG_TILE_AHEAD_BYTES; line += 64)
        __builtin_prefetch(run + line);
}

/* Enters the values that members least .. below-1 lead to into the sets of the tiles begin .. end-1 of the block; below
 * is at most begin + 1, so that even the first heap size can make those moves. */
static void gather(const tile_solver *solver, uint64_t block, uint64_t begin, uint64_t end, uint64_t least,
                   uint64_t below) {
    size_t batch = solver->sliced ? SG_TILE_BATCH : SG_MEMBER_CHUNK;
    sg_member_chunk chunk;
    while (sg_members_chunk(solver->members, &least, below, &chunk))
        for (size_t done = 0, count; done < chunk.count; done += count) {
            count = chunk.count - done < batch ? chunk.count - done : batch;
            size_t next = done + count, next_end = chunk.count - next < batch ? chunk.count : next + batch;
            for (uint64_t tile = begin; tile < end; tile += SG_TILE_POS) {
                if (next < next_end)
                    ask_ahead(solver, begin, chunk.members[next++]);
                enter(solver, tile, solver->seen + (tile - block) * solver->stride, chunk.members + done, count);
            }
            if (count == batch && omp_get_thread_num() == 0)
                sg_monitor_tick(&solver->job->monitor);
            if (sg_monitor_cancelled(&solver->job->monitor))
                return;
        }
}

/* Enters all far options of a span of the block. Members that lead some of its tiles into the block, or that some of
 * its tiles cannot take yet, are gathered tile by tile. */
static void gather_span(const tile_solver *solver, uint64_t block, uint64_t begin, uint64_t end) {
    uint64_t least = least_known(block, end - SG_TILE_POS), below = begin + 1 > least ? begin + 1 : least;
    for (uint64_t tile = begin; tile < end; tile += SG_TILE_POS)
        gather(solver, block, tile, tile + SG_TILE_POS, least_known(block, tile), sg_smaller(least, tile + 1));
    gather(solver, block, begin, end, least, below);
    for (uint64_t tile = begin; tile < end; tile += SG_TILE_POS)
        gather(solver, block, tile, tile + SG_TILE_POS, below, tile + 1);
}

static void mark(const tile_solver *solver, uint8_t *seen, uint64_t i, uint64_t value) {
    if (solver->sliced)
        ((uint64_t *)seen)[value / 64 * SG_TILE_POS + i] |= (uint64_t)1 << value % 64;
    else
        seen[i * solver->stride + value] = 1;
}

static uint64_t least_unseen(const tile_solver *solver, const uint8_t *seen, uint64_t i) {
    if (!solver->sliced) {
        const uint8_t *set = seen + i * solver->stride;
        return (uint64_t)((const uint8_t *)memchr(set, 0, solver->stride) - set);
    }
    const uint64_t *set = (const uint64_t *)seen + i;
    uint64_t w = 0;
    while (set[w * SG_TILE_POS] == UINT64_MAX)
        w++;
    return 64 * w + (uint64_t)__builtin_ctzll(~set[w * SG_TILE_POS]);
}

static bool has_room(const tile_solver *solver) {
    return solver->largest + 1 < solver->room;
}

static sg_status settle(tile_solver *solver, uint64_t p, uint64_t value) {
    if (value > sg_values_limit(solver->values)) {
        sg_status status = sg_values_widen(solver->values, &solver->job->memory);
        if (status != SG_OK)
            return status;
    }
    sg_values_set(solver->values, p, value);
    if (value > solver->largest) {
        if (value % 64 == 0 && value / 64 < SG_TILE_SLICED_WORDS) /* the largest value never rises by more than 1 */
            solver->reached[value / 64] = p;
        solver->largest = value;
    }
    return SG_OK;
}

/* Enters what the options of heap sizes tile + begin .. tile + end - 1 by one member lead to. */
static void mark_options(const tile_solver *solver, uint64_t tile, uint8_t *seen, uint64_t member, uint64_t begin,
                         uint64_t end) {
    for (uint64_t i = begin; i < end; i++)
        mark(solver, seen, i, sg_values_get(solver->values, tile + i - member));
}

/* Resolves a tile of the block whose far options are in. Members below 16 lead from its first heap sizes to before it
 * and from the others into it; those past its first heap size, only its last ones can take. *solved is how far it came.
 */
static sg_status resolve_tile(tile_solver *solver, uint64_t block, uint64_t tile, uint64_t end, uint64_t *solved) {
    uint8_t *seen = solver->seen + (tile - block) * solver->stride;
    uint64_t within_least = 1, late_least = tile + 1;
    sg_member_chunk within, late;
    sg_status status = SG_OK;
    gather(solver, block, tile, tile + SG_TILE_POS, SG_TILE_POS, sg_smaller(least_known(block, tile), tile + 1));
    sg_members_chunk(solver->members, &within_least, SG_TILE_POS, &within);
    if (tile > 0) {
        sg_members_chunk(solver->members, &late_least, tile + SG_TILE_POS, &late);
        for (size_t k = 0; k < late.count; k++)
            mark_options(solver, tile, seen, late.members[k], late.members[k] - tile, SG_TILE_POS);
        for (size_t k = 0; k < within.count; k++)
            mark_options(solver, tile, seen, within.members[k], 0, within.members[k]);
    }
    for (uint64_t i = 0; i < end - tile && has_room(solver); i++) {
        uint64_t value = least_unseen(solver, seen, i);
        SG_TRY(settle(solver, tile + i, value));
        for (size_t k = 0; k < within.count && i + within.members[k] < SG_TILE_POS; k++)
            mark(solver, seen, i + within.members[k], value);
        *solved = tile + i + 1;
    }
cleanup:
    return status;
}

/* Resolves the block in rising order; stops early when the sets have become too small. */
static sg_status resolve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    sg_status status = SG_OK;
    for (uint64_t tile = block; tile < end && has_room(solver); tile += SG_TILE_POS)
        SG_TRY(resolve_tile(solver, block, tile, sg_smaller(end, tile + SG_TILE_POS), solved));
cleanup:
    return status;
}

/* Nanoseconds that the far options of a block take on one thread, about. */
static double far_ns(const tile_solver *solver, uint64_t block, uint64_t end) {
    uint64_t words = solver->largest / 64 + 1;
    return sg_members_below(solver->members, block) * (double)(end - block) *
           (solver->sliced ? (double)words * solver->job->request->costs->tile_word_ns
                           : solver->job->request->costs->tile_flat_ns);
}

static sg_status make_room(tile_solver *solver) {
    uint64_t room = room_for(solver->largest);
    if (room > solver->room) {
        sg_memory_give(&solver->job->memory, solver->seen);
        solver->seen = sg_memory_take(&solver->job->memory, sets_bytes(room));
        if (!solver->seen)
            return solver->job->memory.status;
        solver->room = room;
        solver->sliced = room / 64 <= solver->kernels->tile->sliced_words;
        solver->stride = solver->sliced ? room / 8 : flat_stride(room);
    }
    return SG_OK;
}

/* The longest block whose sets have room, in whole tiles. */
static uint64_t block_pos(const tile_solver *solver) {
    return sets_bytes(solver->room) / solver->stride / SG_TILE_POS * SG_TILE_POS;
}

/* Fills the sets with the far options of the tiles begin .. end-1 of the block, if it is not too late. */
static void fill_span(const tile_solver *solver, uint64_t block, uint64_t begin, uint64_t end) {
    memset(solver->seen + (begin - block) * solver->stride, 0, (end - begin) * solver->stride);
    if (!sg_monitor_cancelled(&solver->job->monitor))
        gather_span(solver, block, begin, end);
}

/* Whole tiles: a share of a block, but in sliced sets, which take members in batches, a tile for each of a batch. */
static uint64_t span_pos(const tile_solver *solver, uint64_t pos, int threads) {
    uint64_t least = solver->sliced ? SG_TILE_BATCH * SG_TILE_POS : SG_TILE_POS;
    return sg_larger(least, pos / ((uint64_t)threads * SG_TILE_SPANS_PER_THREAD) / SG_TILE_POS * SG_TILE_POS);
}

static sg_status solve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    bool parallel = far_ns(solver, block, end) >= SG_TILE_PARALLEL_NS;
    int threads = parallel ? (int)solver->job->request->threads : 1;
    uint64_t tiles_end = block + (end - block + SG_TILE_POS - 1) / SG_TILE_POS * SG_TILE_POS;
    uint64_t span = span_pos(solver, tiles_end - block, threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (uint64_t begin = block; begin < tiles_end; begin += span)
        fill_span(solver, block, begin, sg_smaller(begin + span, tiles_end));
    sg_monitor_tick(&solver->job->monitor);
    if (sg_monitor_cancelled(&solver->job->monitor))
        return sg_monitor_stop(solver->job->request->context);
    return resolve_block(solver, block, end, solved);
}

sg_status sg_nim_tile(sg_job *job) {
    tile_solver solver = {.job = job, .values = &job->result->values, .members = &job->members};
    uint64_t n = job->request->n, block = 0;
    sg_status status = sg_kernels_select(job->request->context, &solver.kernels);
    while (status == SG_OK && block < n) {
        SG_TRY(make_room(&solver));
        uint64_t longest = block_pos(&solver), end = n - block < longest ? n : block + longest;
        SG_TRY(solve_block(&solver, block, end, &block));
        double share = (double)block / (double)n;
        sg_monitor_advance(&job->monitor, share * share, block);
    }
cleanup:
    sg_memory_give(&job->memory, solver.seen);
    return status;
}
