/* Nim-values by tile dynamic programming.
 *
 * Heap sizes are taken a block at a time, each with a set of the values seen among its options. An option whose heap
 * size lies before the block is known beforehand: these far options are gathered for tiles of 16 consecutive heap sizes
 * at once, whose sources for one s are a run of 16 consecutive values, by kernels that keep the sets in registers while
 * values are below 512. Tiles of a block are independent, so threads share them. The block is then resolved in rising
 * order, a strip at a time: options that lead before the strip are gathered by tiles too, the few nearer ones singly.
 *
 * The sets have room for the values there are; a block that fills that room ends early and the next begins with more.
 */
#include "cpu/kernels.h"
#include "extremes.h"
#include "job.h"
#include "recurrence.h"
#include "tuning.h"

#include <omp.h>
#include <string.h>

typedef struct tile_solver {
    sg_job *job;
    sg_values *values;
    const sg_members *members;
    const sg_kernels *kernels;
    uint64_t *one_hot; /* row v has bit v */
    uint64_t *seen;    /* `words` words for each heap size of the block */
    uint64_t words;
    uint64_t largest;
} tile_solver;

static uint64_t words_for(uint64_t value_limit) {
    uint64_t words = SG_ONE_HOT_VALUES / 64;
    while (64 * words <= value_limit + 1)
        words *= 2;
    return words;
}

/* The longest block whose sets stay within SG_TILE_SETS_BYTES, but whole strips. */
static uint64_t block_pos(uint64_t words) {
    uint64_t fits = SG_TILE_SETS_BYTES / (8 * words) / SG_TILE_STRIP_POS * SG_TILE_STRIP_POS;
    return fits ? fits : SG_TILE_STRIP_POS;
}

static uint64_t sets_bytes(uint64_t words) {
    return sg_multiply_saturating(block_pos(words) * 8, words);
}

static uint64_t one_hot_bytes(void) {
    return SG_ONE_HOT_VALUES * SG_ONE_HOT_VALUES / 8;
}

uint64_t sg_nim_tile_bytes(uint64_t value_limit) {
    return sg_add_saturating(sets_bytes(words_for(value_limit)), one_hot_bytes());
}

/* The members from this one on lead every heap size of the tile, even the last, to one before `known`. */
static uint64_t least_known(uint64_t known, uint64_t tile) {
    return tile - known + SG_TILE_POS;
}

/* Enters the values that members least .. below-1 lead to into the sets of a tile of the block; below is at most tile +
 * 1, so that even its first heap size can make those moves. */
static void gather(const tile_solver *solver, uint64_t block, uint64_t tile, uint64_t least, uint64_t below) {
    uint64_t *seen = solver->seen + (tile - block) * solver->words;
    const sg_kernels *kernels = solver->kernels;
    const void *values = solver->values->data;
    bool one_hot = solver->words == SG_ONE_HOT_VALUES / 64;
    sg_member_chunk chunk;
    while (sg_members_chunk(solver->members, &least, below, &chunk)) {
        if (solver->values->bytes == 1)
            one_hot ? kernels->tile->far_one_hot_u8(values, tile, chunk.members, chunk.count, seen, solver->one_hot)
                    : kernels->tile->far_bits_u8(values, tile, chunk.members, chunk.count, seen, solver->words);
        else if (solver->values->bytes == 2)
            one_hot ? kernels->tile->far_one_hot_u16(values, tile, chunk.members, chunk.count, seen, solver->one_hot)
                    : kernels->tile->far_bits_u16(values, tile, chunk.members, chunk.count, seen, solver->words);
        else
            kernels->tile->far_bits_u32(values, tile, chunk.members, chunk.count, seen, solver->words);
    }
}

static uint64_t least_unseen(const uint64_t *seen) {
    uint64_t w = 0;
    while (seen[w] == UINT64_MAX)
        w++;
    return 64 * w + (uint64_t)__builtin_ctzll(~seen[w]);
}

static sg_status settle(tile_solver *solver, uint64_t p, const uint64_t *seen) {
    uint64_t value = least_unseen(seen);
    if (value > sg_values_limit(solver->values)) {
        sg_status status = sg_values_widen(solver->values, &solver->job->memory);
        if (status != SG_OK)
            return status;
    }
    sg_values_set(solver->values, p, value);
    if (value > solver->largest)
        solver->largest = value;
    return SG_OK;
}

/* Resolves a tile of the block whose far options are in: those that lead before its strip are gathered together, the
 * rest one by one, and so are the moves that only its later heap sizes have. *solved is how far it came. */
static sg_status resolve_tile(tile_solver *solver, uint64_t block, uint64_t tile, uint64_t end, uint64_t *solved) {
    _Static_assert(SG_TILE_STRIP_POS + SG_TILE_POS <= SG_MEMBER_CHUNK, "the near members of a tile are one chunk");
    uint64_t strip = tile - (tile - block) % SG_TILE_STRIP_POS;
    uint64_t near_below = sg_smaller(least_known(strip, tile), tile + 1), near_least = 1, late_least = tile + 1;
    sg_member_chunk near, late;
    sg_status status = SG_OK;
    gather(solver, block, tile, near_below, sg_smaller(least_known(block, tile), tile + 1));
    sg_members_chunk(solver->members, &near_least, near_below, &near);
    sg_members_chunk(solver->members, &late_least, tile + SG_TILE_POS, &late);
    for (uint64_t p = tile; p < end && solver->largest + 1 < 64 * solver->words; p++) {
        uint64_t *seen = solver->seen + (p - block) * solver->words;
        size_t late_count = 0;
        while (late_count < late.count && late.members[late_count] <= p)
            late_count++;
        sg_mark_seen(solver->values, p, near.members, near.count, seen);
        sg_mark_seen(solver->values, p, late.members, late_count, seen);
        SG_TRY(settle(solver, p, seen));
        *solved = p + 1;
    }
cleanup:
    return status;
}

/* Resolves the block in rising order; stops early when the sets have become too small. */
static sg_status resolve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    sg_status status = SG_OK;
    for (uint64_t tile = block; tile < end && solver->largest + 1 < 64 * solver->words; tile += SG_TILE_POS)
        SG_TRY(resolve_tile(solver, block, tile, sg_smaller(end, tile + SG_TILE_POS), solved));
cleanup:
    return status;
}

/* Options that lead from the heap sizes of a block to earlier blocks, about. */
static double far_options(const tile_solver *solver, uint64_t block, uint64_t end) {
    return sg_members_below(solver->members, block) * (double)(end - block);
}

static sg_status make_room(tile_solver *solver) {
    uint64_t words = words_for(solver->largest);
    if (words > solver->words) {
        sg_memory_give(&solver->job->memory, solver->seen);
        solver->seen = sg_memory_take(&solver->job->memory, sets_bytes(words));
        if (!solver->seen)
            return solver->job->memory.status;
        solver->words = words;
    }
    return SG_OK;
}

static sg_status open_solver(tile_solver *solver, sg_job *job) {
    sg_status status;
    *solver = (tile_solver){.job = job, .values = &job->result->values, .members = &job->members};
    SG_TRY(sg_kernels_select(job->request->context, &solver->kernels));
    SG_TAKE(&job->memory, solver->one_hot, one_hot_bytes());
    for (unsigned v = 0; v < SG_ONE_HOT_VALUES; v++)
        solver->one_hot[v * (SG_ONE_HOT_VALUES / 64) + v / 64] = (uint64_t)1 << v % 64;
cleanup:
    return status;
}

static void close_solver(tile_solver *solver) {
    sg_memory_give(&solver->job->memory, solver->one_hot);
    sg_memory_give(&solver->job->memory, solver->seen);
}

static sg_status solve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    sg_monitor *monitor = &solver->job->monitor;
    int threads = (int)solver->job->request->threads;
    uint64_t tiles = (end - block + SG_TILE_POS - 1) / SG_TILE_POS;
    bool parallel = threads > 1 && far_options(solver, block, end) >= SG_TILE_PARALLEL_OPTIONS;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (parallel)
    for (uint64_t tile = 0; tile < tiles; tile++) {
        if (omp_get_thread_num() == 0)
            sg_monitor_tick(monitor);
        if (!sg_monitor_cancelled(monitor)) {
            uint64_t first = block + tile * SG_TILE_POS;
            memset(solver->seen + tile * SG_TILE_POS * solver->words, 0, SG_TILE_POS * solver->words * 8);
            gather(solver, block, first, least_known(block, first), first + 1);
        }
    }
    if (sg_monitor_cancelled(monitor))
        return sg_monitor_stop(solver->job->request->context);
    return resolve_block(solver, block, end, solved);
}

sg_status sg_nim_tile(sg_job *job) {
    tile_solver solver;
    uint64_t n = job->request->n, block = 0;
    sg_status status = open_solver(&solver, job);
    while (status == SG_OK && block < n) {
        SG_TRY(make_room(&solver));
        uint64_t longest = block_pos(solver.words), end = n - block < longest ? n : block + longest;
        SG_TRY(solve_block(&solver, block, end, &block));
        double share = (double)block / (double)n;
        sg_monitor_advance(&job->monitor, share * share, block);
    }
cleanup:
    close_solver(&solver);
    return status;
}
