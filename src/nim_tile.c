/* Nim-values by tile dynamic programming.
 *
 * Heap sizes are taken a block at a time, each with a set of the values seen among its options. An option whose heap
 * size lies before the block is known beforehand: these far options are gathered for tiles of 16 consecutive heap sizes
 * at once, whose sources for one s are a run of 16 consecutive values, by kernels that keep the sets in registers while
 * values are below 512. Tiles of a block are independent, so threads share them. The few near options, inside the
 * block, and those at the very start of the heap are then resolved in rising order.
 *
 * The sets have room for the values there are; a block that fills that room ends early and the next begins with more.
 */
#include "cpu/kernels.h"
#include "job.h"
#include "recurrence.h"
#include "tuning.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct tile_solver {
    sg_job *job;
    sg_values *values;
    const sg_kernels *kernels;
    const uint64_t *members; /* the list */
    uint64_t member_count;
    uint64_t *own_members; /* storage of the list when the members are held as bits */
    uint64_t *one_hot;     /* row v has bit v */
    uint64_t *seen;        /* `words` words for each heap size of the block */
    uint64_t words;
    uint64_t largest;
} tile_solver;

/* The members with indices first .. end-1. */
typedef struct member_range {
    uint64_t first;
    uint64_t end;
} member_range;

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

uint64_t sg_nim_tile_bytes(uint64_t member_count, uint64_t value_limit) {
    uint64_t sets = sets_bytes(words_for(value_limit));
    uint64_t table = SG_ONE_HOT_VALUES * SG_ONE_HOT_VALUES / 8;
    return sg_add_saturating(sg_add_saturating(sets, table), sg_multiply_saturating(8, member_count));
}

static uint64_t lower_bound(const tile_solver *solver, uint64_t bound) {
    uint64_t first = 0, end = solver->member_count;
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;
        if (solver->members[middle] < bound)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The members that lead every heap size of the tile to one before `known`: s >= tile + 16 - known puts even the last
 * one there, s <= tile lets even the first one move. */
static member_range known_range(const tile_solver *solver, uint64_t known, uint64_t tile) {
    uint64_t first = lower_bound(solver, tile - known + SG_TILE_POS), end = lower_bound(solver, tile + 1);
    return (member_range){first < end ? first : end, end};
}

/* Enters the values that the members of the range lead to into the sets of a tile of the block. */
static void gather(const tile_solver *solver, uint64_t block, uint64_t tile, member_range range) {
    const uint64_t *members = solver->members + range.first;
    size_t count = (size_t)(range.end - range.first);
    uint64_t *seen = solver->seen + (tile - block) * solver->words;
    const sg_kernels *kernels = solver->kernels;
    const void *values = solver->values->data;
    bool one_hot = solver->words == SG_ONE_HOT_VALUES / 64;
    if (solver->values->bytes == 1)
        one_hot ? kernels->far_one_hot_u8(values, tile, members, count, seen, solver->one_hot)
                : kernels->far_bits_u8(values, tile, members, count, seen, solver->words);
    else if (solver->values->bytes == 2)
        one_hot ? kernels->far_one_hot_u16(values, tile, members, count, seen, solver->one_hot)
                : kernels->far_bits_u16(values, tile, members, count, seen, solver->words);
    else
        kernels->far_bits_u32(values, tile, members, count, seen, solver->words);
}

static uint64_t least_unseen(const uint64_t *seen) {
    uint64_t w = 0;
    while (seen[w] == UINT64_MAX)
        w++;
    return 64 * w + (uint64_t)__builtin_ctzll(~seen[w]);
}

/* Finds the value of heap size p, whose set lacks the options by the members below index `near_end` and from `far_end`
 * on. */
static sg_status resolve(tile_solver *solver, uint64_t p, uint64_t near_end, uint64_t far_end, uint64_t *seen) {
    sg_status status = SG_OK;
    sg_mark_seen(solver->values, p, solver->members, 0, near_end, seen);
    for (uint64_t k = far_end; k < solver->member_count && solver->members[k] <= p; k++)
        sg_mark_seen(solver->values, p, solver->members, k, k + 1, seen);
    uint64_t value = least_unseen(seen);
    if (value > sg_values_limit(solver->values))
        SG_TRY(sg_values_widen(solver->values, &solver->job->memory));
    sg_values_set(solver->values, p, value);
    if (value > solver->largest)
        solver->largest = value;
cleanup:
    return status;
}

/* Resolves the block in rising order, a strip at a time: options that lead before the strip are still gathered by
 * tiles, the rest one by one. *solved is how far it came: all of it unless the sets became too small. */
static sg_status resolve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    member_range far = {0, 0}, known = {0, 0};
    sg_status status = SG_OK;
    for (uint64_t p = block; p < end && solver->largest + 1 < 64 * solver->words; p++) {
        uint64_t strip = p - (p - block) % SG_TILE_STRIP_POS;
        if ((p - block) % SG_TILE_POS == 0) {
            far = known_range(solver, block, p);
            known = known_range(solver, strip, p);
            gather(solver, block, p, (member_range){known.first, far.first});
        }
        SG_TRY(resolve(solver, p, known.first, far.end, solver->seen + (p - block) * solver->words));
        *solved = p + 1;
    }
cleanup:
    return status;
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
    sg_memory *memory = &job->memory;
    uint64_t s;
    sg_status status;
    *solver = (tile_solver){.job = job, .values = &job->result->values};
    SG_TRY(sg_kernels_select(job->request->context, &solver->kernels));
    solver->member_count = job->members.count;
    solver->members = job->members.list;
    if (!solver->members) {
        SG_TAKE(memory, solver->own_members, 8 * job->members.count);
        uint64_t k = 0;
        for (sg_member_walk walk = sg_members_walk(&job->members); sg_member_next(&walk, &s);)
            solver->own_members[k++] = s;
        solver->members = solver->own_members;
    }
    SG_TAKE(memory, solver->one_hot, SG_ONE_HOT_VALUES * SG_ONE_HOT_VALUES / 8);
    for (unsigned v = 0; v < SG_ONE_HOT_VALUES; v++)
        solver->one_hot[v * (SG_ONE_HOT_VALUES / 64) + v / 64] = (uint64_t)1 << v % 64;
cleanup:
    return status;
}

static void close_solver(tile_solver *solver) {
    sg_memory_give(&solver->job->memory, solver->own_members);
    sg_memory_give(&solver->job->memory, solver->one_hot);
    sg_memory_give(&solver->job->memory, solver->seen);
}

static sg_status solve_block(tile_solver *solver, uint64_t block, uint64_t end, uint64_t *solved) {
    sg_monitor *monitor = &solver->job->monitor;
    int threads = (int)solver->job->request->threads;
    uint64_t tiles = (end - block + SG_TILE_POS - 1) / SG_TILE_POS;
    bool parallel = threads > 1 && (end - block) * lower_bound(solver, block) >= SG_TILE_PARALLEL_OPTIONS;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (parallel)
    for (uint64_t tile = 0; tile < tiles; tile++) {
        if (omp_get_thread_num() == 0)
            sg_monitor_tick(monitor);
        if (!sg_monitor_cancelled(monitor)) {
            uint64_t first = block + tile * SG_TILE_POS;
            memset(solver->seen + tile * SG_TILE_POS * solver->words, 0, SG_TILE_POS * solver->words * 8);
            gather(solver, block, first, known_range(solver, block, first));
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
