/* Blocks are column ranges whose lengths are the leaf's times powers of two, so that all nodes of a level share shifts
 * and transforms. The invariant at every block: all marks from heap sizes before the block are in place, none from
 * inside it. */
#include "recursion.h"
#include "bits.h"
#include "divide.h"
#include "tuning.h"

#include <assert.h>
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
    return 8 * sg_leaf_words(rows);
}

/* Depths of blocks: the root's is 0. */
static uint64_t depth_count(const sg_rows *rows) {
    return (uint64_t)__builtin_ctzll(rows->top_columns / rows->leaf_columns) + 1;
}

/* Entries of one depth's counts. */
static uint64_t count_stride(const sg_rows *rows, uint64_t levels) {
    return rows->modulus * levels;
}

static uint64_t levels_of(const sg_plan *plan) {
    return plan->level_batch ? plan->level_batch : 1;
}

/* The layers of a plan, outermost first: layer 0 has plan->rows. */
static uint64_t layer_rows(const sg_plan *plan, uint64_t layer) {
    return layer ? plan->inner[layer - 1].rows : plan->rows;
}

static sg_rows layer_layout(const sg_plan *plan, uint64_t layer, uint64_t n) {
    bool innermost = layer == plan->inner_count;
    return sg_rows_make(n, layer_rows(plan, layer),
                        innermost ? plan->base_threshold_pos : plan->inner[layer].block_pos);
}

static sg_need layer_need(const sg_request *request, const sg_plan *plan, uint64_t layer, const sg_field_shape *shape) {
    const sg_rows *rows = shape->rows;
    uint64_t levels = shape->levels;
    sg_need need = request->device.operators->field_need(shape);
    uint64_t bytes = sg_shifts_bytes(rows, shape->member_count);
    if (layer == plan->inner_count)
        bytes = sg_add_saturating(bytes, sg_base_case_bytes(shape->member_count, leaf_pos(rows)));
    else
        bytes = sg_add_saturating(bytes, sizeof(sg_recursion));
    bytes = sg_add_saturating(bytes, 2 * levels * leaf_bytes(rows));
    bytes = sg_add_saturating(bytes,
                              count_stride(rows, levels) * (depth_count(rows) * sizeof(uint64_t) + sizeof(uint32_t)));
    bytes = sg_add_saturating(bytes, 3 * levels * sizeof(uint64_t));
    need.host_bytes = sg_add_saturating(need.host_bytes, bytes);
    return need;
}

sg_need sg_recursion_need(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count,
                          bool with_preset) {
    sg_need need = {0};
    if (!sg_members_are_listed(member_count, n))
        member_count = n; /* the count was capped: all that is known is that no more are below n */
    for (uint64_t layer = 0; layer <= plan->inner_count; layer++) {
        sg_rows rows = layer_layout(plan, layer, n);
        sg_field_shape shape = {.rows = &rows,
                                .levels = levels_of(plan),
                                .member_count = member_count < n ? member_count : n,
                                .threads = request->threads,
                                .with_preset = with_preset && layer == 0,
                                .convolves = sg_policy_convolves(plan->policy)};
        sg_need more = layer_need(request, plan, layer, &shape);
        need.host_bytes = sg_add_saturating(need.host_bytes, more.host_bytes);
        need.device_bytes = sg_add_saturating(need.device_bytes, more.device_bytes);
        n = leaf_pos(&rows);
    }
    return need;
}

static void count_members(sg_recursion *recursion, const sg_members *members) {
    uint64_t s, n = recursion->rows.n;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < n;)
        recursion->members_log2[64 - __builtin_clzll(s)]++;
    for (unsigned i = 1; i <= 64; i++)
        recursion->members_log2[i] += recursion->members_log2[i - 1];
}

/* What the layers of a recursion are opened for. */
typedef struct layers_spec {
    const sg_request *request;
    const sg_plan *plan;
    const sg_members *members;
    sg_memory *memory;
    sg_monitor *monitor;
} layers_spec;

static sg_status open_layer(sg_recursion *recursion, const layers_spec *spec, uint64_t layer, uint64_t n,
                            bool with_preset) {
    sg_memory *memory = spec->memory;
    const sg_plan *plan = spec->plan;
    sg_status status;
    *recursion = (sg_recursion){
        .operators = spec->request->device.operators,
        .memory = memory,
        .monitor = spec->monitor,
        .policy = plan->policy,
        .costs = spec->request->costs,
        .levels = levels_of(plan),
        .rows = layer_layout(plan, layer, n),
    };
    const sg_rows *rows = &recursion->rows;
    uint64_t levels = recursion->levels, stride = count_stride(rows, levels);
    count_members(recursion, spec->members);
    SG_TRY(sg_shifts_build(&recursion->shifts, rows, spec->members, memory));
    SG_TAKE(memory, recursion->leaf_hot, levels * leaf_bytes(rows));
    SG_TAKE(memory, recursion->leaf_cold, levels * leaf_bytes(rows));
    SG_TAKE(memory, recursion->cold_counts, depth_count(rows) * stride * sizeof *recursion->cold_counts);
    SG_TAKE(memory, recursion->source_rows, stride * sizeof *recursion->source_rows);
    SG_TAKE(memory, recursion->source_ends, 3 * levels * sizeof *recursion->source_ends);
    sg_field_spec field = {.device = &spec->request->device,
                           .shape = {.rows = rows,
                                     .levels = levels,
                                     .member_count = spec->members->count < n ? spec->members->count : n,
                                     .threads = spec->request->threads,
                                     .with_preset = with_preset,
                                     .convolves = sg_policy_convolves(plan->policy)},
                           .shifts = &recursion->shifts,
                           .memory = memory,
                           .monitor = spec->monitor};
    SG_TRY(recursion->operators->open(&field, &recursion->field));
    if (layer == plan->inner_count) {
        SG_TRY(sg_base_case_build(&recursion->base, spec->members, leaf_pos(rows), memory));
    } else {
        SG_TAKE(memory, recursion->inner, sizeof *recursion->inner);
        SG_TRY(open_layer(recursion->inner, spec, layer + 1, leaf_pos(rows), false));
    }
cleanup:
    return status;
}

sg_status sg_recursion_open(sg_recursion *recursion, const sg_request *request, const sg_plan *plan,
                            const sg_members *members, bool with_preset, sg_memory *memory, sg_monitor *monitor) {
    layers_spec spec = {request, plan, members, memory, monitor};
    sg_status status = open_layer(recursion, &spec, 0, members->limit, with_preset);
    if (status != SG_OK)
        sg_recursion_close(recursion);
    return status;
}

sg_status sg_recursion_close(sg_recursion *recursion) {
    sg_memory *memory = recursion->memory;
    sg_status status = recursion->field ? recursion->operators->close(recursion->field) : SG_OK;
    if (recursion->inner)
        status = sg_first_failure(status, sg_recursion_close(recursion->inner));
    sg_memory_give(memory, recursion->inner);
    sg_shifts_free(&recursion->shifts, memory);
    sg_base_case_free(&recursion->base, memory);
    sg_memory_give(memory, recursion->leaf_hot);
    sg_memory_give(memory, recursion->leaf_cold);
    sg_memory_give(memory, recursion->cold_counts);
    sg_memory_give(memory, recursion->source_rows);
    sg_memory_give(memory, recursion->source_ends);
    *recursion = (sg_recursion){0};
    return status;
}

/* Cold positions by row among the bits of a base case. */
static void count_rows(const uint64_t *cold, const sg_rows *rows, uint64_t *counts) {
    for (uint64_t w = 0; w < sg_leaf_words(rows); w++)
        for (uint64_t rest = cold[w]; rest; rest &= rest - 1)
            counts[sg_place_of(rows, 64 * w + (uint64_t)__builtin_ctzll(rest)).row]++;
}

/* Theorem 3 within a base case: what is cold in a level is hot by decree in the next ones. Adds to counts; returns the
 * number of cold positions. */
static uint64_t solve_levels(sg_recursion *recursion, uint64_t count, uint64_t *counts) {
    uint64_t words = sg_leaf_words(&recursion->rows), modulus = recursion->rows.modulus, found = 0;
    memset(recursion->leaf_cold, 0, recursion->levels * leaf_bytes(&recursion->rows));
    for (uint64_t level = 0; level < recursion->levels; level++) {
        uint64_t *hot = recursion->leaf_hot + level * words, *cold = recursion->leaf_cold + level * words;
        for (uint64_t lower = 0; lower < level; lower++)
            for (uint64_t w = 0; w < words; w++)
                hot[w] |= recursion->leaf_cold[lower * words + w];
        found += sg_base_case_solve(&recursion->base, count, hot, cold);
        count_rows(cold, &recursion->rows, counts + level * modulus);
    }
    return found;
}

/* Where the base case that begins at first_pos ends. */
static uint64_t block_end(const sg_recursion *recursion, uint64_t first_pos) {
    uint64_t left = recursion->end_pos - first_pos, longest = leaf_pos(&recursion->rows);
    return first_pos + (left < longest ? left : longest);
}

/* Receives the cold positions of an inner recursion: to the base case that it solves, and on to where this one's go. */
static sg_status emit_inner(void *user, uint64_t level, uint64_t first_pos, uint64_t count, const uint64_t *cold) {
    sg_recursion *recursion = user;
    sg_bits_or(recursion->leaf_cold, first_pos, count, cold);
    return recursion->emit(recursion->emit_user, level, recursion->first_pos + first_pos, count, cold);
}

static sg_status divide_all(sg_recursion *recursion, uint64_t end_pos, sg_emit_fn emit, void *user);

/* Solves a base case of an outer layout, which begins at first_pos, by the recursion on the next one. */
static sg_status solve_inside(sg_recursion *recursion, uint64_t first_pos, uint64_t *counts) {
    sg_recursion *inner = recursion->inner;
    sg_status status;
    assert(recursion->levels == 1); /* begin_with begins a run of one level */
    memset(recursion->leaf_cold, 0, leaf_bytes(&recursion->rows));
    recursion->first_pos = first_pos;
    SG_TRY(inner->operators->begin_with(inner->field, recursion->leaf_hot));
    SG_TRY(divide_all(inner, block_end(recursion, first_pos) - first_pos, emit_inner, recursion));
    count_rows(recursion->leaf_cold, &recursion->rows, counts);
    SG_TRY(
        recursion->operators->store_cold(recursion->field, first_pos / recursion->rows.modulus, recursion->leaf_cold));
cleanup:
    return status;
}

/* Solves a base case by the sieve, level by level. */
static sg_status solve_directly(sg_recursion *recursion, uint64_t first_pos, uint64_t *counts) {
    const sg_rows *rows = &recursion->rows;
    uint64_t count = block_end(recursion, first_pos) - first_pos;
    sg_status status = SG_OK;
    if (solve_levels(recursion, count, counts))
        SG_TRY(recursion->operators->store_cold(recursion->field, first_pos / rows->modulus, recursion->leaf_cold));
    for (uint64_t level = 0; level < recursion->levels; level++)
        SG_TRY(recursion->emit(recursion->emit_user, level, first_pos, count,
                               recursion->leaf_cold + level * sg_leaf_words(rows)));
cleanup:
    return status;
}

/* Solves a base case; `counts` receives its cold positions by level and row. */
static sg_status solve_leaf(sg_recursion *recursion, uint64_t first_column, uint64_t *counts) {
    uint64_t first_pos = first_column * recursion->rows.modulus;
    sg_status status;
    memset(counts, 0, count_stride(&recursion->rows, recursion->levels) * sizeof *counts);
    SG_TRY(recursion->operators->fetch_hot(recursion->field, first_column, recursion->leaf_hot));
    SG_TRY((recursion->inner ? solve_inside : solve_directly)(recursion, first_pos, counts));
    if (!sg_monitor_tick(recursion->monitor))
        status = sg_monitor_stop(recursion->memory->context);
cleanup:
    return status;
}

/* Cold positions a vector of 512 columns at or above which a source row is shifted as a whole rather than scattered. */
static bool is_dense(const sg_node *node, uint64_t cold_count) {
    return (double)cold_count * 512 >= SG_SHIFT_OR_COLD_PER_VECTOR * (double)node->columns;
}

/* Sorts rows by falling count: Shell's sort, for the rows are few and nearly ordered. */
static void sort_rows(uint32_t *rows, uint64_t count, const uint64_t *cold_counts) {
    for (uint64_t gap = count / 2; gap; gap /= 2)
        for (uint64_t i = gap; i < count; i++) {
            uint32_t moving = rows[i];
            uint64_t at = i;
            for (; at >= gap && cold_counts[rows[at - gap]] < cold_counts[moving]; at -= gap)
                rows[at] = rows[at - gap];
            rows[at] = moving;
        }
}

/* The source rows of a node that are shifted as a whole, and those that are scattered. */
typedef struct ordered_sources {
    sg_sources dense;
    sg_sources sparse;
    bool any_dense;
    bool any_sparse;
} ordered_sources;

/* Lists the source rows with cold positions, densest first. */
static ordered_sources order_sources(sg_recursion *recursion, const sg_node *node, const uint64_t *counts) {
    uint64_t levels = recursion->levels, modulus = recursion->rows.modulus;
    uint64_t *first = recursion->source_ends, *dense_end = first + levels, *end = dense_end + levels;
    uint32_t *rows = recursion->source_rows;
    ordered_sources ordered = {.dense = {counts, rows, first, dense_end}, .sparse = {counts, rows, dense_end, end}};
    for (uint64_t level = 0; level < levels; level++, counts += modulus) {
        uint64_t at = level * modulus, dense = 0;
        first[level] = at;
        for (uint32_t r = 0; r < modulus; r++)
            if (counts[r]) {
                rows[at++] = r;
                dense += is_dense(node, counts[r]);
            }
        sort_rows(rows + first[level], at - first[level], counts);
        dense_end[level] = first[level] + dense;
        end[level] = at;
        ordered.any_dense |= dense > 0;
        ordered.any_sparse |= at > dense_end[level];
    }
    return ordered;
}

/* Whether one convolution of the node is foreseen to cost less than shifting: every row pair is one product. */
static bool convolution_is_cheaper(const sg_recursion *recursion, const sg_node *node, uint64_t all_cold_count) {
    uint64_t cold_count = all_cold_count / recursion->levels; /* of an average level */
    uint64_t modulus = recursion->rows.modulus, positions = node->columns * modulus;
    uint64_t span_log2 = 64 - (uint64_t)__builtin_clzll(2 * positions);
    uint64_t members = recursion->members_log2[span_log2 < 64 ? span_log2 : 64];
    double steps = (double)(members < cold_count ? members : cold_count) * (double)positions / SG_SEGMENT_BITS;
    double points = (double)node->columns;
    double transform_ns = recursion->costs->transform_ns * points * log2(points) * 2 * (double)modulus +
                          recursion->costs->product_ns * points * (double)modulus * (double)modulus;
    return transform_ns < recursion->costs->segment_shift_ns * steps;
}

static sg_status shift_and_scatter(sg_recursion *recursion, const sg_node *node, const ordered_sources *ordered) {
    const sg_operators *operators = recursion->operators;
    sg_status status = SG_OK;
    if (ordered->any_dense)
        SG_TRY(operators->shift_or(recursion->field, node, &ordered->dense));
    if (ordered->any_sparse)
        SG_TRY(operators->scatter(recursion->field, node, &ordered->sparse));
cleanup:
    return status;
}

/* Where the part of a target ends that is marked first, so that its first base case can be fetched while the rest is
 * marked. */
static uint64_t near_end(const sg_recursion *recursion, const sg_node *node) {
    uint64_t unit = recursion->operators->overlap_columns;
    if (!unit)
        return node->target_end;
    uint64_t end = (node->target_first + recursion->rows.leaf_columns + unit - 1) / unit * unit;
    return end < node->target_end ? end : node->target_end;
}

/* Marks what the node's source block, whose cold positions number `counts`, reaches. */
static sg_status contribute(sg_recursion *recursion, const sg_node *node, const uint64_t *counts) {
    const sg_operators *operators = recursion->operators;
    uint64_t cold_count = 0;
    sg_status status;
    for (uint64_t i = 0; i < count_stride(&recursion->rows, recursion->levels); i++)
        cold_count += counts[i];
    if (!cold_count)
        return SG_OK;
    if (recursion->policy == SG_POLICY_CONVOLVE ||
        (recursion->policy == SG_POLICY_CHEAPEST && convolution_is_cheaper(recursion, node, cold_count))) {
        recursion->counts.convolve_nodes++;
        return operators->convolve(recursion->field, node, counts);
    }
    ordered_sources ordered = order_sources(recursion, node, counts);
    recursion->counts.shift_or_nodes += ordered.any_dense;
    recursion->counts.scatter_nodes += ordered.any_sparse;
    sg_node near = *node, far = *node;
    near.target_end = far.target_first = near_end(recursion, node);
    SG_TRY(shift_and_scatter(recursion, &near, &ordered));
    if (far.target_first < far.target_end) {
        SG_TRY(operators->prefetch(recursion->field, node->target_first));
        SG_TRY(shift_and_scatter(recursion, &far, &ordered));
    }
cleanup:
    return status;
}

/* Cold positions of the block in hand at a depth, by level and row. */
static uint64_t *counts_at(const sg_recursion *recursion, uint64_t depth) {
    return recursion->cold_counts + depth * count_stride(&recursion->rows, recursion->levels);
}

static sg_status solve_block(void *user, uint64_t first, uint64_t depth) {
    return solve_leaf(user, first, counts_at(user, depth));
}

static sg_status cross_block(void *user, const sg_node *node, uint64_t depth) {
    sg_recursion *recursion = user;
    uint64_t *counts = counts_at(recursion, depth), *half_counts = counts_at(recursion, depth + 1);
    memcpy(counts, half_counts, count_stride(&recursion->rows, recursion->levels) * sizeof *counts);
    return node->target_first < node->target_end ? contribute(recursion, node, half_counts) : SG_OK;
}

static sg_status join_block(void *user, uint64_t depth) {
    const sg_recursion *recursion = user;
    uint64_t *counts = counts_at(recursion, depth), *half_counts = counts_at(recursion, depth + 1);
    for (uint64_t i = 0; i < count_stride(&recursion->rows, recursion->levels); i++)
        counts[i] += half_counts[i];
    return SG_OK;
}

/* One run whose hot marks are in place. */
static sg_status divide_all(sg_recursion *recursion, uint64_t end_pos, sg_emit_fn emit, void *user) {
    recursion->end_pos = end_pos;
    recursion->emit = emit;
    recursion->emit_user = user;
    sg_division division = {.end = (end_pos - 1) / recursion->rows.modulus + 1,
                            .leaf = recursion->rows.leaf_columns,
                            .user = recursion,
                            .solve = solve_block,
                            .cross = cross_block,
                            .join = join_block};
    return sg_divide(&division, 0, recursion->rows.top_columns, 0);
}

sg_status sg_recursion_run(sg_recursion *recursion, sg_emit_fn emit, void *user) {
    sg_status status = recursion->operators->begin(recursion->field);
    return status == SG_OK ? divide_all(recursion, recursion->rows.n, emit, user) : status;
}

sg_status sg_recursion_report(const sg_recursion *recursion, sg_result *result) {
    sg_result_info *info = &result->info;
    sg_field_report *report = &result->field_report;
    sg_status status = recursion->operators->report(recursion->field, report);
    for (const sg_recursion *layer = recursion; layer; layer = layer->inner) {
        info->shift_or_nodes += layer->counts.shift_or_nodes;
        info->scatter_nodes += layer->counts.scatter_nodes;
        info->convolve_nodes += layer->counts.convolve_nodes;
    }
    info->convolve_float_nodes = report->float_nodes;
    info->convolve_redone = report->redone;
    info->device_peak_bytes = report->device_peak_bytes;
    info->bytes_to_device = report->bytes_to_device;
    info->bytes_from_device = report->bytes_from_device;
    return status;
}
