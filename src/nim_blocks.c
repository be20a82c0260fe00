/* Nim-values by blocks on a device.
 *
 * A block is as many heap sizes as fill the device. Its far options, which lead to earlier heap sizes, are gathered at
 * once; inside, the recursion's division lets halves mark halves, down to base cases. While one block is decided, the
 * far options of the next one are gathered beside it, among the heap sizes before both; the block in between marks the
 * rest, as one more node, when it is done.
 *
 * A heap size whose window filled up ends its block, and the next block begins there: all its options are then far
 * ones, so it cannot be stuck again. After such an end blocks are short, since much of what was gathered is thrown
 * away, and grow again.
 *
 * Base cases are decided by the device, or by the host, which then fetches windows and stores values; which is faster
 * is measured on the first ones. */
#include "divide.h"
#include "extremes.h"
#include "job.h"
#include "nim_backend.h"

/* Base cases that the device and the host each solve before one of them gets all others; the first ones also warm up
 * and do not count. */
enum { TRIALS = 4 };

/* Heap sizes of a block after one that got stuck. */
enum { LEAST_BLOCK_POS = 256 };

typedef enum solver_kind { ON_DEVICE, ON_HOST, SOLVER_KINDS } solver_kind;

typedef struct block_solver {
    sg_job *job;
    const sg_nim_operators *operators;
    sg_nim_field *field;
    sg_division division;
    unsigned slot;
    unsigned value_bytes;
    uint64_t host_stuck; /* as in sg_nim_progress, of base cases on the host */
    bool host_is_too_wide;
    sg_window *windows; /* of a base case on the host, and its values */
    uint32_t *values;
    unsigned trials[SOLVER_KINDS];
    double seconds[SOLVER_KINDS];
    uint64_t leaves[SOLVER_KINDS];
} block_solver;

uint64_t sg_nim_blocks_bytes(uint64_t leaf_pos) {
    return leaf_pos * (sizeof(sg_window) + sizeof(uint32_t));
}

/* --- base cases on the host --- */

static void mark(sg_window *window, uint32_t value) {
    uint32_t at = value - window->base;
    if (at < SG_WINDOW_VALUES)
        window->seen[at / 32] |= 1u << at % 32;
    for (unsigned h = 0; h < SG_WINDOW_HOLES; h++)
        if (window->holes[h] == value)
            window->holes[h] = SG_WINDOW_NO_VALUE;
}

/* Returns false when the window is full. */
static bool find_mex(const sg_window *window, uint32_t *mex) {
    for (unsigned h = 0; h < SG_WINDOW_HOLES; h++)
        if (window->holes[h] != SG_WINDOW_NO_VALUE) {
            *mex = window->holes[h];
            return true;
        }
    for (uint32_t w = 0; w < SG_WINDOW_WORDS; w++)
        if (~window->seen[w]) {
            *mex = window->base + 32 * w + (uint32_t)__builtin_ctz(~window->seen[w]);
            return true;
        }
    return false;
}

/* Decides `count` heap sizes one after another, by windows that hold the options before them; returns how many. */
static uint64_t solve_windows(block_solver *solver, uint64_t count) {
    uint64_t limit = ((uint64_t)1 << 8 * solver->value_bytes) - 1, s;
    for (uint64_t i = 0; i < count; i++) {
        sg_window *window = &solver->windows[i];
        sg_member_walk walk = sg_members_walk(&solver->job->members);
        while (sg_member_next(&walk, &s) && s <= i)
            mark(window, solver->values[i - s]);
        if (!find_mex(window, &solver->values[i]))
            return i;
        if (solver->values[i] > limit) {
            solver->host_is_too_wide = true;
            return i;
        }
    }
    return count;
}

static sg_status solve_on_host(block_solver *solver, uint64_t first, uint64_t end) {
    sg_status status;
    SG_TRY(solver->operators->fetch_windows(solver->field, solver->slot, first, end, solver->windows));
    uint64_t solved = solve_windows(solver, end - first);
    if (solved < end - first)
        solver->host_stuck = first + solved;
    if (solved)
        SG_TRY(solver->operators->store_values(solver->field, first, solved, solver->values));
cleanup:
    return status;
}

/* --- who solves base cases --- */

static bool is_trying(const block_solver *solver) {
    return solver->job->request->near == SG_NEAR_AUTO && solver->trials[ON_HOST] <= TRIALS;
}

static solver_kind choose(const block_solver *solver) {
    sg_near near = solver->job->request->near;
    if (near != SG_NEAR_AUTO)
        return near == SG_NEAR_CPU ? ON_HOST : ON_DEVICE;
    if (is_trying(solver))
        return solver->trials[ON_DEVICE] <= solver->trials[ON_HOST] ? ON_DEVICE : ON_HOST;
    return solver->seconds[ON_DEVICE] <= solver->seconds[ON_HOST] ? ON_DEVICE : ON_HOST;
}

static sg_status solve_leaf_by(block_solver *solver, solver_kind kind, uint64_t first, uint64_t end) {
    solver->leaves[kind]++;
    return kind == ON_HOST ? solve_on_host(solver, first, end)
                           : solver->operators->near(solver->field, solver->slot, first, end);
}

/* Waits for all before, so that a trial is timed by itself. What got stuck must not be forgotten. */
static sg_status wait_for_device(block_solver *solver, bool *is_stuck) {
    sg_nim_progress progress;
    sg_status status = solver->operators->progress(solver->field, &progress);
    *is_stuck = status == SG_OK && progress.stuck != UINT64_MAX;
    if (*is_stuck) {
        solver->host_stuck = progress.stuck;
        solver->host_is_too_wide = progress.is_too_wide;
    }
    return status;
}

static sg_status try_leaf(block_solver *solver, uint64_t first, uint64_t end) {
    solver_kind kind = choose(solver);
    bool is_stuck;
    sg_status status;
    SG_TRY(wait_for_device(solver, &is_stuck));
    if (is_stuck)
        return SG_OK;
    double begin = sg_seconds_now();
    SG_TRY(solve_leaf_by(solver, kind, first, end));
    SG_TRY(wait_for_device(solver, &is_stuck));
    if (solver->trials[kind]++ && !is_stuck)
        solver->seconds[kind] += sg_seconds_now() - begin;
cleanup:
    return status;
}

static sg_status solve_leaf(void *user, uint64_t first, uint64_t depth) {
    block_solver *solver = user;
    uint64_t end = first + solver->division.leaf;
    (void)depth;
    if (end > solver->division.end)
        end = solver->division.end;
    if (!sg_monitor_tick(&solver->job->monitor))
        return sg_monitor_stop(solver->job->request->context);
    if (solver->host_stuck != UINT64_MAX)
        return SG_OK;
    return is_trying(solver) ? try_leaf(solver, first, end) : solve_leaf_by(solver, choose(solver), first, end);
}

static sg_status cross_halves(void *user, const sg_node *node, uint64_t depth) {
    block_solver *solver = user;
    (void)depth;
    if (node->target_first == node->target_end || solver->host_stuck != UINT64_MAX)
        return SG_OK;
    return solver->operators->cross(solver->field, solver->slot, node);
}

/* --- blocks --- */

/* Decides first .. end-1, whose far options are gathered or on their way; *solved is how far it came. */
static sg_status solve_block(block_solver *solver, uint64_t first, uint64_t end, uint64_t *solved) {
    sg_nim_progress progress;
    sg_status status;
    solver->division.end = end;
    solver->host_stuck = UINT64_MAX;
    solver->host_is_too_wide = false;
    SG_TRY(sg_divide(&solver->division, first, sg_division_length(&solver->division, end - first), 0));
    SG_TRY(solver->operators->progress(solver->field, &progress));
    *solved = progress.stuck < solver->host_stuck ? progress.stuck : solver->host_stuck;
    bool is_too_wide = *solved == progress.stuck ? progress.is_too_wide : solver->host_is_too_wide;
    if (*solved > end)
        *solved = end;
    else if (is_too_wide) {
        SG_TRY(solver->operators->widen(solver->field));
        solver->value_bytes = 4;
    }
cleanup:
    return status;
}

/* Heap sizes of the next block, after one from `first` to `end` that came as far as `solved`. */
static uint64_t next_length(const block_solver *solver, uint64_t first, uint64_t end, uint64_t solved) {
    uint64_t longest = solver->operators->block_pos(solver->field), length = 2 * (solved - first);
    if (length < LEAST_BLOCK_POS)
        length = LEAST_BLOCK_POS;
    return solved == end && 2 * (end - first) >= longest ? longest : sg_smaller(length, longest);
}

static sg_status solve_all(block_solver *solver) {
    uint64_t n = solver->job->request->n, first = 0, solved;
    uint64_t end = sg_smaller(n, solver->operators->block_pos(solver->field));
    sg_status status;
    SG_TRY(solver->operators->far(solver->field, solver->slot, first, end, first));
    while (first < n) {
        /* The next block as it will be if this one is solved to its end. */
        uint64_t next_end = end + sg_smaller(n - end, next_length(solver, first, end, end));
        if (end < n)
            SG_TRY(solver->operators->far(solver->field, solver->slot ^ 1, end, next_end, first));
        SG_TRY(solve_block(solver, first, end, &solved));
        solver->slot ^= 1;
        if (solved == end && end < n)
            SG_TRY(
                solver->operators->cross(solver->field, solver->slot, &(sg_node){first, end - first, end, next_end}));
        if (solved < end) {
            next_end = solved + sg_smaller(n - solved, next_length(solver, first, end, solved));
            SG_TRY(solver->operators->far(solver->field, solver->slot, solved, next_end, solved));
        }
        first = solved;
        end = next_end;
        double share = (double)first / (double)n;
        sg_monitor_advance(&solver->job->monitor, share * share, first);
    }
cleanup:
    return status;
}

static sg_status finish(block_solver *solver) {
    sg_result *result = solver->job->result;
    sg_result_info *info = &result->info;
    sg_status status;
    SG_TRY(solver->operators->report(solver->field, &result->field_report));
    info->device_peak_bytes = result->field_report.device_peak_bytes;
    info->bytes_to_device = result->field_report.bytes_to_device;
    info->bytes_from_device = result->field_report.bytes_from_device;
    info->near = solver->leaves[ON_HOST] > solver->leaves[ON_DEVICE] ? SG_NEAR_CPU : SG_NEAR_CUDA;
    SG_TRY(solver->operators->finish(solver->field, &result->values));
    SG_TRY(result->values.store->operators->zero_bits(solver->job->request->context, result->values.store,
                                                      result->cold_bits));
cleanup:
    return status;
}

sg_status sg_nim_blocks(sg_job *job) {
    const sg_request *request = job->request;
    uint64_t leaf_pos = job->plan->base_threshold_pos;
    block_solver solver = {.job = job,
                           .operators = request->device.operators->nim,
                           .division = {.leaf = leaf_pos, .solve = solve_leaf, .cross = cross_halves},
                           .value_bytes = job->plan->value_bytes};
    sg_nim_spec spec = {.device = &request->device,
                        .shape = {.n = request->n,
                                  .member_count = job->members.count,
                                  .value_bytes = job->plan->value_bytes,
                                  .leaf_pos = leaf_pos},
                        .members = &job->members,
                        .memory = &job->memory};
    sg_status status;
    solver.division.user = &solver;
    SG_TAKE(&job->memory, solver.windows, leaf_pos * sizeof *solver.windows);
    SG_TAKE(&job->memory, solver.values, leaf_pos * sizeof *solver.values);
    SG_TRY(solver.operators->open(&spec, &solver.field));
    SG_TRY(solve_all(&solver));
    SG_TRY(finish(&solver));
cleanup:
    if (solver.field)
        status = sg_first_failure(status, solver.operators->close(solver.field));
    sg_memory_give(&job->memory, solver.windows);
    sg_memory_give(&job->memory, solver.values);
    return status;
}
