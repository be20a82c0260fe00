/* convolve: the paper's Boolean convolution, as batches of complex transforms by cuFFT.
 *
 * Right-angle convolution. A source piece of L = 2^level columns is a polynomial c(z) of degree below L. It is
 * multiplied modulo z^L - i by s(z) = sum of s_u z^u + i * sum of s_(L+u) z^u, whose real and imaginary part hold the
 * members with shifts in the lower and upper half of a window of 2L. Since z^L = i, the imaginary part of the product's
 * coefficient x is exactly the number of ways to reach column x of the target piece. Modulo z^L - i is modulo y^L - 1
 * for z = exp(i pi / 2L) y: multiply by the powers of that root (the twist) before, by their conjugates afterwards. A
 * transform of L complex numbers does what a real one of 2L would, without the latter's extra pass.
 *
 * Batches. The target block of a node is cut into pieces, as is its source, and rows and levels (theorem 3, all at
 * once) multiply their number: all go through one plan at once. The products of all source pieces and rows that reach a
 * target piece are summed before its inverse transform. Window w of the shifts (1, 2, ...) is that of pieces w apart,
 * so all nodes whose pieces have one length share their transforms of S, which are made when first used and then kept.
 *
 * Precision is planned (precision.h), and watched: a count that is not within 1/4 of an integer raises a flag, which
 * comes back with the next base case, and keeps the node's marks from being made. Then the node is done again in double
 * precision. */
#include "../src/precision.h"
#include "field.h"

#include <string.h>

enum { MAX_LEVELS = 64, MAX_PLANS = 512 };

typedef struct sg_plan_entry {
    cufftHandle handle;
    unsigned level;
    bool in_double;
    uint64_t batch;
} sg_plan_entry;

/* Transforms of S in one precision. */
typedef struct stored_transforms {
    void *d_numbers;
    uint8_t *is_made; /* by index */
} stored_transforms;

/* How a field's nodes are cut. */
typedef struct piece_plan {
    unsigned least_level; /* of pieces */
    unsigned top_level;
    uint64_t most_pieces[MAX_LEVELS]; /* of a node with pieces of this level */
    uint64_t first_index[MAX_LEVELS]; /* of the level's stored transforms */
    uint64_t first_number[MAX_LEVELS];
    uint64_t index_count;
    uint64_t number_count;
    uint64_t group_levels; /* nim levels that are convolved together */
    uint64_t node_numbers; /* of the sources of the largest node */
    uint64_t batch_points;
} piece_plan;

struct sg_convolver {
    piece_plan plan;
    uint64_t member_count[65];   /* members with a shift of fewer than 2^i columns */
    stored_transforms stored[2]; /* single, double */
    void *d_sources;
    void *d_sums;
    void *d_work_area; /* shared by all plans */
    uint64_t work_area_bytes;
    sg_plan_entry plans[MAX_PLANS];
    unsigned plan_count;
    /* The last node, until its flag has come back. */
    enum { SETTLED, IN_FLOAT, IN_DOUBLE } pending;
    sg_node node;
    uint64_t *counts;
    uint32_t *source_rows; /* of the node, by level */
    uint64_t *source_ends; /* by level: first, end */
    uint64_t float_nodes;
    uint64_t redone;
};

static unsigned log2_of(uint64_t power) {
    return (unsigned)__builtin_ctzll(power);
}

static unsigned piece_level(uint64_t columns) {
    unsigned level = log2_of(columns), least = level < SG_CUDA_PIECE_LEAST_LOG2 ? level : SG_CUDA_PIECE_LEAST_LOG2;
    level = level > least + SG_CUDA_PIECE_RADIX_LOG2 ? level - SG_CUDA_PIECE_RADIX_LOG2 : least;
    return level < SG_CUDA_PIECE_MOST_LOG2 ? level : SG_CUDA_PIECE_MOST_LOG2;
}

static uint64_t windows_of(const piece_plan *plan, unsigned level) {
    return 2 * plan->most_pieces[level] - 1;
}

/* The cut of all nodes; false when there is none: a single base case. */
static bool plan_pieces(const sg_rows *rows, uint64_t levels, piece_plan *plan) {
    uint64_t root = rows->top_columns / 2, differences = 2 * rows->modulus - 1;
    *plan = (piece_plan){.least_level = MAX_LEVELS};
    for (uint64_t columns = rows->leaf_columns; columns <= root; columns *= 2) {
        unsigned level = piece_level(columns);
        if (level < plan->least_level)
            plan->least_level = level;
        plan->top_level = level;
        plan->most_pieces[level] = columns >> level;
    }
    if (plan->least_level == MAX_LEVELS)
        return false;
    for (unsigned level = plan->least_level; level <= plan->top_level; level++) {
        uint64_t count = plan->most_pieces[level] ? sg_multiply_saturating(differences, windows_of(plan, level)) : 0;
        plan->first_index[level] = plan->index_count;
        plan->first_number[level] = plan->number_count;
        plan->index_count = sg_add_saturating(plan->index_count, count);
        plan->number_count = sg_add_saturating(plan->number_count, sg_multiply_saturating(count, (uint64_t)1 << level));
    }
    uint64_t level_points = sg_multiply_saturating(rows->modulus, root);
    plan->group_levels = SG_CUDA_GROUP_POINTS / level_points;
    if (plan->group_levels < 1)
        plan->group_levels = 1;
    if (plan->group_levels > levels)
        plan->group_levels = levels;
    plan->node_numbers = sg_multiply_saturating(plan->group_levels, level_points);
    uint64_t least_points = (uint64_t)1 << plan->top_level;
    plan->batch_points = plan->node_numbers < SG_CUDA_BATCH_POINTS ? plan->node_numbers : SG_CUDA_BATCH_POINTS;
    if (plan->batch_points < least_points)
        plan->batch_points = least_points;
    return true;
}

static uint64_t pending_bytes(uint64_t levels, uint64_t modulus) {
    return levels * modulus * (sizeof(uint64_t) + sizeof(uint32_t)) + 2 * levels * sizeof(uint64_t);
}

uint64_t sg_cuda_convolver_device_bytes(const sg_field_shape *shape) {
    piece_plan plan;
    if (!plan_pieces(shape->rows, shape->levels, &plan))
        return 0;
    uint64_t stored = sg_multiply_saturating(plan.number_count, sizeof(cufftComplex) + sizeof(cufftDoubleComplex));
    uint64_t nodes = sg_multiply_saturating(2 * sizeof(cufftDoubleComplex), plan.node_numbers);
    uint64_t work_area = sg_multiply_saturating(sizeof(cufftDoubleComplex), plan.batch_points);
    return sg_add_saturating(stored, sg_add_saturating(nodes, work_area));
}

uint64_t sg_cuda_convolver_host_bytes(const sg_field_shape *shape) {
    piece_plan plan;
    if (!plan_pieces(shape->rows, shape->levels, &plan))
        return 0;
    return sg_add_saturating(sizeof(sg_convolver) + pending_bytes(shape->levels, shape->rows->modulus),
                             sg_multiply_saturating(2, plan.index_count));
}

sg_status sg_cuda_convolver_open(sg_field *field) {
    uint64_t levels = field->layout.levels, modulus = field->layout.modulus;
    piece_plan plan;
    sg_status status = SG_OK;
    if (!plan_pieces(field->rows, levels, &plan))
        return SG_OK;
    SG_TAKE(field->memory, field->convolver, sizeof *field->convolver);
    sg_convolver *convolver = field->convolver;
    convolver->plan = plan;
    SG_TAKE(field->memory, convolver->counts, levels * modulus * sizeof *convolver->counts);
    SG_TAKE(field->memory, convolver->source_rows, levels * modulus * sizeof *convolver->source_rows);
    SG_TAKE(field->memory, convolver->source_ends, 2 * levels * sizeof *convolver->source_ends);
    for (unsigned in_double = 0; in_double < 2; in_double++) {
        uint64_t bytes = in_double ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex);
        stored_transforms *stored = &convolver->stored[in_double];
        SG_TAKE(field->memory, stored->is_made, plan.index_count);
        SG_TRY(sg_cuda_take(&field->taken, &stored->d_numbers, bytes * plan.number_count));
    }
    SG_TRY(sg_cuda_take(&field->taken, &convolver->d_sources, sizeof(cufftDoubleComplex) * plan.node_numbers));
    SG_TRY(sg_cuda_take(&field->taken, &convolver->d_sums, sizeof(cufftDoubleComplex) * plan.node_numbers));
    convolver->work_area_bytes = sizeof(cufftDoubleComplex) * plan.batch_points;
    SG_TRY(sg_cuda_take(&field->taken, &convolver->d_work_area, convolver->work_area_bytes));
    sg_shifts_count(field->host_shifts, field->rows, convolver->member_count);
cleanup:
    return status;
}

sg_status sg_cuda_convolver_close(sg_field *field) {
    sg_convolver *convolver = field->convolver;
    sg_status status = SG_OK;
    if (!convolver)
        return SG_OK;
    for (unsigned i = 0; i < convolver->plan_count; i++)
        status = sg_first_failure(status, SG_CUFFT(field->context, cufftDestroy(convolver->plans[i].handle)));
    void *on_device[] = {convolver->stored[0].d_numbers, convolver->stored[1].d_numbers, convolver->d_sources,
                         convolver->d_sums, convolver->d_work_area};
    status =
        sg_first_failure(status, sg_cuda_free_device(field->context, on_device, sizeof on_device / sizeof *on_device));
    sg_memory_give(field->memory, convolver->stored[0].is_made);
    sg_memory_give(field->memory, convolver->stored[1].is_made);
    sg_memory_give(field->memory, convolver->counts);
    sg_memory_give(field->memory, convolver->source_rows);
    sg_memory_give(field->memory, convolver->source_ends);
    sg_memory_give(field->memory, convolver);
    field->convolver = NULL;
    return status;
}

/* --- plans --- */

/* Makes the shared work area at least as large as a plan wants. The area was planned for what power-of-two plans take;
 * a cuFFT that takes more is served from the reserve. */
static sg_status grow_work_area(sg_field *field, uint64_t bytes) {
    sg_convolver *convolver = field->convolver;
    sg_status status = SG_OK;
    if (bytes <= convolver->work_area_bytes)
        return SG_OK;
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->compute)));
    void *old = convolver->d_work_area;
    convolver->d_work_area = NULL;
    SG_TRY(SG_CUDA(field->context, cudaFree(old)));
    field->taken.device_bytes -= convolver->work_area_bytes;
    convolver->work_area_bytes = 0;
    SG_TRY(sg_cuda_take(&field->taken, &convolver->d_work_area, bytes));
    convolver->work_area_bytes = bytes;
    for (unsigned i = 0; i < convolver->plan_count; i++)
        SG_TRY(SG_CUFFT(field->context, cufftSetWorkArea(convolver->plans[i].handle, convolver->d_work_area)));
cleanup:
    return status;
}

static sg_status make_plan(sg_field *field, sg_plan_entry *entry) {
    long long length = 1LL << entry->level;
    size_t work_bytes = 0; /* one entry for each GPU of a plan, and this is a plan for one */
    sg_status status;
    SG_TRY(SG_CUFFT(field->context, cufftSetAutoAllocation(entry->handle, 0)));
    SG_TRY(SG_CUFFT(field->context, cufftMakePlanMany64(entry->handle, 1, &length, &length, 1, length, &length, 1,
                                                        length, entry->in_double ? CUFFT_Z2Z : CUFFT_C2C,
                                                        (long long)entry->batch, &work_bytes)));
    SG_TRY(SG_CUFFT(field->context, cufftSetStream(entry->handle, field->compute)));
    SG_TRY(grow_work_area(field, work_bytes));
    SG_TRY(SG_CUFFT(field->context, cufftSetWorkArea(entry->handle, field->convolver->d_work_area)));
cleanup:
    return status;
}

/* The plan for `batch` transforms of 2^level points, made when first asked for. */
static sg_status find_plan(sg_field *field, unsigned level, bool in_double, uint64_t batch, cufftHandle *handle) {
    sg_convolver *convolver = field->convolver;
    sg_plan_entry *entry = convolver->plans, *end = entry + convolver->plan_count;
    sg_status status = SG_OK;
    while (entry < end && (entry->level != level || entry->in_double != in_double || entry->batch != batch))
        entry++;
    if (entry == end) {
        if (convolver->plan_count == MAX_PLANS)
            return sg_fail(field->context, SG_ERROR_INTERNAL, "more than %d plans for transforms", MAX_PLANS);
        *entry = (sg_plan_entry){.level = level, .in_double = in_double, .batch = batch};
        SG_TRY(SG_CUFFT(field->context, cufftCreate(&entry->handle)));
        convolver->plan_count++; /* from here on it is destroyed with the others */
        status = make_plan(field, entry);
        if (status != SG_OK)
            entry->batch = 0; /* half made: never found again */
    }
    *handle = entry->handle;
cleanup:
    return status;
}

static sg_status transform(sg_field *field, unsigned level, bool in_double, bool forward, void *numbers,
                           uint64_t count) {
    uint64_t most = field->convolver->plan.batch_points >> level, done = 0;
    int direction = forward ? CUFFT_FORWARD : CUFFT_INVERSE;
    cufftHandle handle = 0;
    sg_status status;
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_TRANSFORM, field->compute));
    for (uint64_t batch; done < count; done += batch) {
        batch = count - done < most ? count - done : most;
        SG_TRY(find_plan(field, level, in_double, batch, &handle));
        if (in_double) {
            cufftDoubleComplex *at = (cufftDoubleComplex *)numbers + (done << level);
            SG_TRY(SG_CUFFT(field->context, cufftExecZ2Z(handle, at, at, direction)));
        } else {
            cufftComplex *at = (cufftComplex *)numbers + (done << level);
            SG_TRY(SG_CUFFT(field->context, cufftExecC2C(handle, at, at, direction)));
        }
    }
    SG_TRY(sg_cuda_clock_end(&field->clock, count << level));
cleanup:
    return status;
}

/* --- transforms of S --- */

static uint64_t number_bytes(bool in_double) {
    return in_double ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex);
}

static sg_status make_stored(sg_field *field, unsigned level, bool in_double, uint64_t difference, uint64_t window) {
    const piece_plan *plan = &field->convolver->plan;
    stored_transforms *stored = &field->convolver->stored[in_double];
    uint64_t modulus = field->layout.modulus, at = difference * windows_of(plan, level) + window - 1;
    uint64_t number = plan->first_number[level] + (at << level);
    bool borrows = difference < modulus - 1; /* row difference below zero: the shift is one more than the class says */
    uint64_t residue = (difference + 1) % modulus;
    int64_t base = (int64_t)((window - 1) << level) - (borrows ? 1 : 0);
    void *numbers = (uint8_t *)stored->d_numbers + number_bytes(in_double) * number;
    sg_status status = SG_OK;
    if (stored->is_made[plan->first_index[level] + at])
        return SG_OK;
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_EXPAND, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_expand_class(field->layout, field->shifts, &field->classes[residue], residue,
                                                        level, in_double, base, numbers, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, 3 * number_bytes(in_double) << level));
    SG_TRY(transform(field, level, in_double, true, numbers, 1));
    stored->is_made[plan->first_index[level] + at] = 1;
cleanup:
    return status;
}

/* Whether some level has cold positions in a row s with 0 <= s + difference - (M - 1) < M. */
static bool difference_occurs(const sg_field *field, const uint64_t *counts, uint64_t difference) {
    uint64_t modulus = field->layout.modulus;
    for (uint64_t i = 0; i < modulus * field->layout.levels; i++) {
        uint64_t r = i % modulus + difference;
        if (counts[i] && r >= modulus - 1 && r < 2 * modulus - 1)
            return true;
    }
    return false;
}

/* Makes the stored transforms that a node with this many pieces uses. */
static sg_status make_all_stored(sg_field *field, unsigned level, bool in_double, uint64_t pieces,
                                 const uint64_t *counts) {
    uint64_t modulus = field->layout.modulus;
    sg_status status = SG_OK;
    for (uint64_t difference = 0; difference < 2 * modulus - 1; difference++) {
        if (!field->classes[(difference + 1) % modulus].count || !difference_occurs(field, counts, difference))
            continue;
        for (uint64_t window = 1; window < 2 * pieces; window++)
            SG_TRY(make_stored(field, level, in_double, difference, window));
    }
cleanup:
    return status;
}

/* --- a node --- */

/* Sends the rows with cold positions. */
static sg_status send_sources(sg_field *field, sg_cuda_node *sent) {
    sg_convolver *convolver = field->convolver;
    uint64_t levels = field->layout.levels, modulus = field->layout.modulus;
    for (uint64_t level = 0; level < levels; level++) {
        uint64_t at = level * modulus;
        convolver->source_ends[level] = at;
        for (uint32_t r = 0; r < modulus; r++)
            if (convolver->counts[level * modulus + r])
                convolver->source_rows[at++] = r;
        convolver->source_ends[levels + level] = at;
    }
    sg_sources sources = {convolver->counts, convolver->source_rows, convolver->source_ends,
                          convolver->source_ends + levels};
    return sg_cuda_send_node(field, &convolver->node, &sources, sent);
}

static sg_status convolve_group(sg_field *field, const sg_cuda_node *node, const sg_cuda_pieces *pieces) {
    sg_convolver *convolver = field->convolver;
    unsigned level = pieces->level;
    bool in_double = pieces->in_double;
    uint64_t count = pieces->line_count * pieces->count, bytes = number_bytes(in_double) * count << level;
    const void *stored = (uint8_t *)convolver->stored[in_double].d_numbers +
                         number_bytes(in_double) * convolver->plan.first_number[level];
    sg_status status;
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_EXPAND, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_expand_sources(field->layout, *pieces, field->d_cold, node->first,
                                                          convolver->d_sources, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, bytes));
    SG_TRY(transform(field, level, in_double, true, convolver->d_sources, count));
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_PRODUCT, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_multiply(field->layout, *pieces, field->shifts, node, convolver->d_sources,
                                                    stored, convolver->d_sums, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, 3 * bytes)); /* at least: sources, stored transforms, sums once each */
    SG_TRY(transform(field, level, in_double, false, convolver->d_sums, count));
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_THRESHOLD, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_threshold(field->layout, *pieces, node, convolver->d_sums, field->d_hot,
                                                     field->d_doubt, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, 2 * bytes)); /* looked at, then marked */
cleanup:
    return status;
}

/* The whole of the pending node. */
static sg_status convolve_node(sg_field *field, bool in_double) {
    sg_convolver *convolver = field->convolver;
    unsigned level = piece_level(convolver->node.columns);
    uint64_t levels = field->layout.levels, modulus = field->layout.modulus, group = convolver->plan.group_levels;
    sg_cuda_pieces pieces = {.level = level,
                             .in_double = in_double,
                             .count = convolver->node.columns >> level,
                             .windows = windows_of(&convolver->plan, level)};
    sg_cuda_node node;
    sg_status status;
    SG_TRY(send_sources(field, &node));
    SG_TRY(SG_CUDA(field->context, cudaMemsetAsync(field->d_doubt, 0, sizeof *field->d_doubt, field->compute)));
    SG_TRY(make_all_stored(field, level, in_double, pieces.count, convolver->counts));
    for (uint64_t first = 0; first < levels; first += group) {
        pieces.first_line = first * modulus;
        pieces.line_count = (levels - first < group ? levels - first : group) * modulus;
        SG_TRY(convolve_group(field, &node, &pieces));
        if (!sg_monitor_tick(field->monitor))
            return sg_monitor_stop(field->context);
    }
    convolver->pending = in_double ? IN_DOUBLE : IN_FLOAT;
cleanup:
    return status;
}

/* The bound on the error of a count of the pending node. */
static double planned_error(const sg_field *field, double roundoff) {
    const sg_convolver *convolver = field->convolver;
    uint64_t modulus = field->layout.modulus, most_cold = 0, columns = convolver->node.columns;
    unsigned level = piece_level(columns);
    for (uint64_t i = 0; i < field->layout.levels; i++) {
        uint64_t cold = 0;
        for (uint64_t r = 0; r < modulus; r++)
            cold += convolver->counts[i * modulus + r];
        most_cold = cold > most_cold ? cold : most_cold;
    }
    /* Windows of neighbouring pieces overlap by half, so a member counts at most twice. The twist is one pass more, and
     * two to be safe. */
    double members = 2.0 * (double)convolver->member_count[log2_of(columns) + 1];
    return sg_product_error(level + 2.0, (double)(modulus * (columns >> level)), (double)most_cold, members, roundoff);
}

/* Brings home the flag of a node whose base case was not fetched. */
static sg_status settle_now(sg_field *field) {
    bool did_again = true;
    sg_status status = SG_OK;
    uint32_t *flag = field->leaf_down + field->layout.levels * field->leaf_words;
    while (field->convolver->pending != SETTLED && did_again) {
        SG_TRY(SG_CUDA(field->context,
                       cudaMemcpyAsync(flag, field->d_doubt, sizeof *flag, cudaMemcpyDeviceToHost, field->compute)));
        SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->compute)));
        field->bytes_from_device += sizeof *flag;
        SG_TRY(sg_cuda_convolver_settle(field, *flag != 0, &did_again));
    }
cleanup:
    return status;
}

sg_status sg_cuda_convolve(sg_field *field, const sg_node *node, const uint64_t *counts) {
    sg_convolver *convolver = field->convolver;
    sg_status status;
    SG_TRY(settle_now(field));
    convolver->node = *node;
    memcpy(convolver->counts, counts, field->layout.levels * field->layout.modulus * sizeof *counts);
    if (planned_error(field, SG_DOUBLE_ROUNDOFF) >= 0.25)
        SG_TRY(sg_fail(field->context, SG_ERROR_INTERNAL,
                       "a convolution of %llu columns is not exact in double precision",
                       (unsigned long long)node->columns));
    SG_TRY(convolve_node(field, planned_error(field, SG_FLOAT_ROUNDOFF) >= 0.25));
cleanup:
    return status;
}

sg_status sg_cuda_convolver_settle(sg_field *field, bool is_doubtful, bool *did_again) {
    sg_convolver *convolver = field->convolver;
    *did_again = false;
    if (!convolver || convolver->pending == SETTLED)
        return SG_OK;
    bool was_double = convolver->pending == IN_DOUBLE;
    convolver->pending = SETTLED;
    convolver->float_nodes += !was_double && !is_doubtful;
    if (!is_doubtful)
        return SG_OK;
    if (was_double)
        return sg_fail(field->context, SG_ERROR_INTERNAL,
                       "a convolution of %llu columns in double precision gave a count that is no integer",
                       (unsigned long long)convolver->node.columns);
    convolver->redone++;
    *did_again = true;
    return convolve_node(field, true);
}

void sg_cuda_convolver_report(const sg_field *field, sg_field_report *report) {
    if (!field->convolver)
        return;
    report->float_nodes = field->convolver->float_nodes;
    report->redone = field->convolver->redone;
}
