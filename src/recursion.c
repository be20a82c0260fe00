/* Blocks are column ranges whose lengths are the leaf's times powers of two, so that all nodes of a level share shifts
 * and transforms. The invariant at every block: all marks from heap sizes before the block are in place, none from
 * inside it. */
#include "recursion.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sg_policy_convolves(sg_policy policy) {
    return policy != SG_POLICY_SPLIT;
}

static uint64_t leaf_pos(const sg_rows *rows) {
    return rows->leaf_columns * rows->modulus;
}

static uint64_t leaf_bytes(const sg_rows *rows) {
    return leaf_pos(rows) / 64 * 8 + 8;
}

uint64_t sg_recursion_bytes(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count,
                            bool with_preset) {
    sg_rows rows = sg_rows_make(n, plan->rows, plan->base_threshold_pos);
    if (!sg_members_are_listed(member_count, n))
        member_count = n; /* the count was capped: all that is known is that no more are below n */
    uint64_t bytes =
        request->operators->field_bytes(&rows, request->threads, with_preset, sg_policy_convolves(plan->policy));
    bytes = sg_add_saturating(bytes, sg_shifts_bytes(&rows, member_count));
    bytes = sg_add_saturating(bytes, sg_base_case_bytes(member_count, leaf_pos(&rows)));
    bytes = sg_add_saturating(bytes, 2 * leaf_bytes(&rows));
    return sg_add_saturating(bytes, rows.modulus * (sizeof(uint64_t) + sizeof(uint32_t)));
}

static void count_members(sg_recursion *recursion, const sg_members *members) {
    uint64_t s;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s);)
        recursion->members_log2[64 - __builtin_clzll(s)]++;
    for (unsigned i = 1; i <= 64; i++)
        recursion->members_log2[i] += recursion->members_log2[i - 1];
}

sg_status sg_recursion_open(sg_recursion *recursion, const sg_request *request, const sg_plan *plan,
                            const sg_members *members, bool with_preset, sg_memory *memory, sg_monitor *monitor) {
    sg_status status;
    *recursion = (sg_recursion){
        .operators = request->operators,
        .memory = memory,
        .monitor = monitor,
        .policy = plan->policy,
        .rows = sg_rows_make(members->limit, plan->rows, plan->base_threshold_pos),
    };
    const sg_rows *rows = &recursion->rows;
    count_members(recursion, members);
    SG_TRY(sg_shifts_build(&recursion->shifts, rows, members, memory));
    SG_TRY(sg_base_case_build(&recursion->base, members, leaf_pos(rows), memory));
    SG_TAKE(memory, recursion->leaf_hot, leaf_bytes(rows));
    SG_TAKE(memory, recursion->leaf_cold, leaf_bytes(rows));
    SG_TAKE(memory, recursion->cold_counts, rows->modulus * sizeof *recursion->cold_counts);
    SG_TAKE(memory, recursion->sources, rows->modulus * sizeof *recursion->sources);
    sg_field_spec spec = {.rows = rows,
                          .shifts = &recursion->shifts,
                          .memory = memory,
                          .monitor = monitor,
                          .threads = request->threads,
                          .with_preset = with_preset,
                          .convolves = sg_policy_convolves(plan->policy)};
    SG_TRY(recursion->operators->open(&spec, &recursion->field));
cleanup:
    if (status != SG_OK)
        sg_recursion_close(recursion);
    return status;
}

void sg_recursion_close(sg_recursion *recursion) {
    if (recursion->field)
        recursion->operators->close(recursion->field);
    recursion->field = NULL;
    sg_shifts_free(&recursion->shifts, recursion->memory);
    sg_base_case_free(&recursion->base, recursion->memory);
    sg_memory_give(recursion->memory, recursion->leaf_hot);
    sg_memory_give(recursion->memory, recursion->leaf_cold);
    sg_memory_give(recursion->memory, recursion->cold_counts);
    sg_memory_give(recursion->memory, recursion->sources);
    recursion->leaf_hot = recursion->leaf_cold = recursion->cold_counts = NULL;
    recursion->sources = NULL;
}

static sg_status solve_leaf(sg_recursion *recursion, uint64_t first_column) {
    const sg_rows *rows = &recursion->rows;
    uint64_t first_pos = first_column * rows->modulus, left = rows->n - first_pos;
    uint64_t count = left < leaf_pos(rows) ? left : leaf_pos(rows);
    sg_status status;
    SG_TRY(recursion->operators->fetch_hot(recursion->field, first_column, recursion->leaf_hot));
    memset(recursion->leaf_cold, 0, leaf_bytes(rows));
    if (sg_base_case_solve(&recursion->base, count, recursion->leaf_hot, recursion->leaf_cold))
        SG_TRY(recursion->operators->store_cold(recursion->field, first_column, recursion->leaf_cold));
    SG_TRY(recursion->emit(recursion->emit_user, first_pos, count, recursion->leaf_cold));
    if (!sg_monitor_tick(recursion->monitor))
        status = sg_monitor_stop(recursion->memory->context);
cleanup:
    return status;
}

/* Cold positions a vector of 512 columns at or above which a source row is shifted as a whole rather than scattered. */
static bool is_dense(const sg_node *node, uint64_t cold_count) {
    return (double)cold_count * 512 >= SG_SHIFT_OR_COLD_PER_VECTOR * (double)node->columns;
}

/* Puts the source rows with cold positions into recursion->sources, densest first; returns how many there are and how
 * many of them are dense. */
static uint64_t order_sources(sg_recursion *recursion, const sg_node *node, uint64_t *dense_count) {
    const uint64_t *counts = recursion->cold_counts;
    uint32_t *sources = recursion->sources;
    uint64_t count = 0;
    *dense_count = 0;
    for (uint32_t r = 0; r < recursion->rows.modulus; r++)
        if (counts[r]) {
            sources[count++] = r;
            *dense_count += is_dense(node, counts[r]);
        }
    for (uint64_t gap = count / 2; gap; gap /= 2) /* Shell's sort: the rows are few and nearly ordered */
        for (uint64_t i = gap; i < count; i++) {
            uint32_t moving = sources[i];
            uint64_t at = i;
            for (; at >= gap && counts[sources[at - gap]] < counts[moving]; at -= gap)
                sources[at] = sources[at - gap];
            sources[at] = moving;
        }
    return count;
}

/* Whether one convolution of the node is foreseen to cost less than shifting: every row pair is one product. */
static bool convolution_is_cheaper(const sg_recursion *recursion, const sg_node *node, uint64_t cold_count) {
    uint64_t modulus = recursion->rows.modulus, positions = node->columns * modulus;
    uint64_t span_log2 = 64 - (uint64_t)__builtin_clzll(2 * positions);
    uint64_t members = recursion->members_log2[span_log2 < 64 ? span_log2 : 64];
    double steps = (double)(members < cold_count ? members : cold_count) * (double)positions / SG_SEGMENT_BITS;
    double points = 2 * (double)node->columns;
    double transform_ns = SG_FFT_NS_PER_POINT_LOG2 * points * log2(points) * 2 * (double)modulus +
                          SG_FFT_PRODUCT_NS_PER_POINT * points * (double)modulus * (double)modulus;
    return transform_ns < SG_SEGMENT_SHIFT_NS * steps;
}

static sg_status contribute(sg_recursion *recursion, const sg_node *node) {
    const sg_operators *operators = recursion->operators;
    uint64_t dense_count, count, cold_count = 0;
    sg_status status;
    SG_TRY(operators->count_cold(recursion->field, node, recursion->cold_counts));
    for (uint64_t r = 0; r < recursion->rows.modulus; r++)
        cold_count += recursion->cold_counts[r];
    if (!cold_count)
        return SG_OK;
    if (recursion->policy == SG_POLICY_CONVOLVE ||
        (recursion->policy == SG_POLICY_CHEAPEST && convolution_is_cheaper(recursion, node, cold_count))) {
        recursion->counts.convolve_nodes++;
        return operators->convolve(recursion->field, node, recursion->cold_counts);
    }
    count = order_sources(recursion, node, &dense_count);
    if (dense_count) {
        recursion->counts.shift_or_nodes++;
        SG_TRY(operators->shift_or(recursion->field, node, recursion->sources, dense_count));
    }
    if (count > dense_count) {
        recursion->counts.scatter_nodes++;
        SG_TRY(operators->scatter(recursion->field, node, recursion->sources + dense_count, count - dense_count));
    }
cleanup:
    return status;
}

static sg_status solve(sg_recursion *recursion, uint64_t first, uint64_t columns) {
    const sg_rows *rows = &recursion->rows;
    sg_status status;
    if (columns == rows->leaf_columns)
        return solve_leaf(recursion, first);
    uint64_t half = columns / 2, upper = first + half;
    SG_TRY(solve(recursion, first, half));
    if (upper < rows->columns) {
        uint64_t end = upper + half < rows->columns ? upper + half : rows->columns;
        SG_TRY(contribute(recursion, &(sg_node){first, half, end}));
        SG_TRY(solve(recursion, upper, half));
    }
cleanup:
    return status;
}

sg_status sg_recursion_run(sg_recursion *recursion, sg_emit_fn emit, void *user) {
    recursion->emit = emit;
    recursion->emit_user = user;
    sg_status status = recursion->operators->begin(recursion->field);
    return status == SG_OK ? solve(recursion, 0, recursion->rows.top_columns) : status;
}

void sg_recursion_report(const sg_recursion *recursion, sg_result_info *info) {
    sg_convolve_counts convolve = recursion->operators->convolve_counts(recursion->field);
    info->shift_or_nodes = recursion->counts.shift_or_nodes;
    info->scatter_nodes = recursion->counts.scatter_nodes;
    info->convolve_nodes = recursion->counts.convolve_nodes;
    info->convolve_float_nodes = convolve.float_nodes;
    info->convolve_redone = convolve.redone;
}
