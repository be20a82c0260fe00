/* convolve: the paper's Boolean convolution. Cold bits and the bits of S become sequences of 0 and 1, whose product
 * counts the ways to reach each target; a count past one half marks it. From bits to bits, by the transforms of
 * transform.h.
 *
 * A node of B columns needs the shifts below 2B. Their transform is the same at every node of a level, so it is made
 * once, when first used, and stored. Blocks longer than the longest piece are cut into pieces; the products of all
 * source pieces (and rows) for one target piece are summed before one inverse transform. There the windows of S differ
 * from piece to piece, and sources and windows are transformed anew for each product: that is slower, but needs no more
 * memory than a piece does. Blocks shorter than the shortest transform are marked bit by bit.
 *
 * Precision is planned, see precision.h: single where proved or watched, else double, where the bound holds for all
 * that fits memory. Double precision stores nothing and works in pieces that are shorter. */
#include "../precision.h"
#include "convolver.h"

#include <assert.h>
#include <string.h>

/* The level of a node's transforms. */
static unsigned node_level(const sg_node *node, unsigned top_level) {
    unsigned level = sg_level_of(node->columns);
    return level < top_level ? level : top_level;
}

static uint64_t pieces_of(const sg_node *node, unsigned level) {
    return node->columns >> level;
}

/* A node in one precision. */
typedef struct node_job {
    const sg_node *node;
    const uint64_t *cold_counts;
    const sg_precision *in;
    unsigned level;
    bool proved; /* else watched */
} node_job;

static void *work_transform(const sg_precision *in, unsigned level, uint64_t i) {
    return in->work + i * sg_level_bytes(level, in->transform.kernels->number_bytes);
}

/* Whether row s has anything to mark in row r. */
static bool reaches(const sg_field *field, const node_job *job, uint64_t r, uint64_t s) {
    return job->cold_counts[s] && field->shifts->classes[sg_residue_between(field->rows, r, s)].count;
}

/* The one product that a node on one row is. */
static sg_counts_quality convolve_row(const sg_field *field, const node_job *job) {
    const uint8_t *source = sg_row(field->rows, field->cold, 0) + job->node->first / 8;
    return sg_transform_convolve(&job->in->transform, sg_level_points(job->level), source,
                                 sg_convolver_stored(field, job->level, 0), job->in->work, field->convolver->marks);
}

enum { MAX_PRODUCTS = 64 };

/* The sum of the products for target row r, the source rows' transforms being in the work transforms of their numbers.
 * Past MAX_PRODUCTS of them, sums are made in memory. Returns false when there are none. */
static bool sum_rows(const sg_field *field, const node_job *job, uint64_t r, sg_counts_quality *quality) {
    uint64_t modulus = field->rows->modulus, points = sg_level_points(job->level);
    void *sum = work_transform(job->in, job->level, modulus);
    sg_product products[MAX_PRODUCTS];
    size_t count = 0;
    bool any = false;
    for (uint64_t s = 0; s < modulus; s++) {
        if (!reaches(field, job, r, s))
            continue;
        sg_product product = {work_transform(job->in, job->level, s),
                              sg_convolver_stored(field, job->level, (int64_t)r - (int64_t)s)};
        if (modulus <= MAX_PRODUCTS)
            products[count++] = product;
        else
            sg_transform_multiply(&job->in->transform, points, &product, any, sum);
        any = true;
    }
    if (any)
        *quality = sg_transform_sum(&job->in->transform, points, products, count, sum, field->convolver->marks);
    return any;
}

/* The same for piece i of row r, with sources and windows made anew: slower, in bounded memory. */
static bool sum_pieces(const sg_field *field, const node_job *job, uint64_t r, uint64_t i, sg_counts_quality *quality) {
    uint64_t points = sg_level_points(job->level), pieces = pieces_of(job->node, job->level);
    void *source = work_transform(job->in, job->level, 0), *window = work_transform(job->in, job->level, 1);
    void *sum = work_transform(job->in, job->level, 2);
    sg_product product = {source, window};
    bool any = false;
    for (uint64_t s = 0; s < field->rows->modulus; s++)
        for (uint64_t j = 0; j < pieces && reaches(field, job, r, s); j++, any = true) {
            sg_convolver_transform_source(field, job->in, job->level, s, job->node->first + j * points, source);
            sg_convolver_transform_window(field, job->in, job->level, pieces + i - j, (int64_t)r - (int64_t)s, window);
            sg_transform_multiply(&job->in->transform, points, &product, any, sum);
        }
    if (any)
        *quality = sg_transform_sum(&job->in->transform, points, NULL, 0, sum, field->convolver->marks);
    return any;
}

/* Columns of a target piece to look at: those within the range, in whole words where the piece has words. */
static uint64_t used_columns(const sg_node *node, uint64_t column, uint64_t piece) {
    uint64_t left = node->target_end - column;
    if (piece >= 64)
        left = (left + 63) / 64 * 64;
    return left < piece ? left : piece;
}

static void mark(const uint8_t *marks, uint64_t length, uint8_t *hot_row, uint64_t column) {
    if (length % 64 == 0) {
        const uint64_t *from = (const uint64_t *)(const void *)marks;
        uint64_t *words = (uint64_t *)(void *)(hot_row + column / 8);
        for (uint64_t w = 0; w < length / 64; w++)
            words[w] |= from[w];
        return;
    }
    for (uint64_t i = 0; i < length; i++)
        if (marks[i / 8] >> i % 8 & 1)
            hot_row[(column + i) / 8] |= (uint8_t)(1u << (column + i) % 8);
}

static bool is_accepted(const node_job *job, const sg_counts_quality *quality) {
    assert(!job->proved || quality->distance < SG_PROVED_ERROR);
    return !quality->doubtful && (job->proved || quality->distance <= SG_WATCHED_DISTANCE);
}

/* Piece i of target row r. Sets *accepted to false, with nothing marked, when the counts were not clear. */
static sg_status convolve_target(const sg_field *field, const node_job *job, uint64_t r, uint64_t i, bool *accepted) {
    const sg_node *node = job->node;
    const sg_precision *in_float = &field->convolver->in_float;
    uint64_t piece = sg_level_points(job->level), column = node->first + node->columns + i * piece;
    uint8_t *hot_row = sg_row(field->rows, field->hot, r);
    sg_counts_quality quality;
    if (!sg_monitor_tick(field->monitor))
        return sg_monitor_stop(field->memory->context);
    if (column >= node->target_end || column + piece <= node->target_first)
        return SG_OK;
    uint64_t length = used_columns(node, column, piece);
    if (sg_all_hot(hot_row, column, length))
        return SG_OK;
    bool any = true;
    if (job->in != in_float || pieces_of(node, job->level) > 1)
        any = sum_pieces(field, job, r, i, &quality);
    else if (field->rows->modulus > 1)
        any = sum_rows(field, job, r, &quality);
    else
        quality = convolve_row(field, job);
    if (sg_monitor_cancelled(field->monitor))
        return sg_monitor_stop(field->memory->context);
    *accepted = !any || is_accepted(job, &quality);
    if (any && *accepted)
        mark(field->convolver->marks, length, hot_row, column);
    return SG_OK;
}

static sg_status convolve_node(const sg_field *field, const node_job *job, bool *accepted) {
    uint64_t modulus = field->rows->modulus, pieces = pieces_of(job->node, job->level);
    bool whole = job->in == &field->convolver->in_float && pieces == 1;
    sg_status status = SG_OK;
    *accepted = true;
    for (uint64_t s = 0; s < modulus && modulus > 1 && whole; s++)
        if (job->cold_counts[s])
            sg_convolver_transform_source(field, job->in, job->level, s, job->node->first,
                                          work_transform(job->in, job->level, s));
    for (uint64_t target = 0; target < modulus * pieces && *accepted; target++)
        SG_TRY(convolve_target(field, job, target / pieces, target % pieces, accepted));
cleanup:
    return status;
}

/* Ors `length` bits from bit `from` of a window, which goes on for a word past them, into the marks. */
static void or_window(const uint64_t *window, uint64_t from, uint64_t length, uint64_t *marks) {
    const uint64_t *words = window + from / 64;
    unsigned shift = (unsigned)(from % 64);
    for (uint64_t w = 0; w < (length + 63) / 64; w++)
        marks[w] |= shift ? words[w] >> shift | words[w + 1] << (64 - shift) : words[w];
}

/* Cold column c of the source marks target column x through the shift by columns - c + x. */
static void mark_from_row(const sg_field *field, const sg_node *node, uint64_t r, uint64_t s, uint64_t *marks) {
    uint64_t length = (2 * node->columns + 127) / 64 * 64;
    const uint8_t *window = sg_convolver_window_bits(field, 0, length, (int64_t)r - (int64_t)s);
    const uint8_t *cold = sg_row(field->rows, field->cold, s);
    for (uint64_t c = 0; c < node->columns; c++)
        if (cold[(node->first + c) / 8] >> (node->first + c) % 8 & 1)
            or_window((const uint64_t *)(const void *)window, node->columns - c, node->columns, marks);
}

/* A node shorter than the shortest transform. */
static void mark_short_node(const sg_field *field, const sg_node *node, const uint64_t *cold_counts) {
    const node_job job = {.node = node, .cold_counts = cold_counts};
    uint8_t *marks = field->convolver->marks;
    uint64_t column = node->first + node->columns;
    for (uint64_t r = 0; r < field->rows->modulus; r++) {
        memset(marks, 0, (node->columns + 63) / 64 * 8);
        for (uint64_t s = 0; s < field->rows->modulus; s++)
            if (reaches(field, &job, r, s))
                mark_from_row(field, node, r, s, (uint64_t *)(void *)marks);
        mark(marks, used_columns(node, column, node->columns), sg_row(field->rows, field->hot, r), column);
    }
}

/* The bound on the error of a count. */
static double planned_error(const sg_field *field, const node_job *job) {
    const sg_convolver *convolver = field->convolver;
    uint64_t modulus = field->rows->modulus, pieces = pieces_of(job->node, job->level), cold_count = 0;
    for (uint64_t r = 0; r < modulus; r++)
        cold_count += job->cold_counts[r];
    /* Windows of neighbouring pieces overlap by half, so a member counts at most twice. */
    double members = (double)convolver->member_count[sg_level_of(job->node->columns) + 1] * (pieces > 1 ? 2 : 1);
    return sg_count_error(job->level, (double)(modulus * pieces), (double)cold_count, members, job->in->roundoff);
}

static node_job plan_node(const sg_field *field, const sg_node *node, const uint64_t *cold_counts,
                          const sg_precision *in) {
    node_job job = {.node = node, .cold_counts = cold_counts, .in = in, .level = node_level(node, in->top_level)};
    job.proved = planned_error(field, &job) < SG_PROVED_ERROR;
    return job;
}

sg_status sg_cpu_convolve(sg_field *field, const sg_node *node, const uint64_t *cold_counts) {
    sg_convolver *convolver = field->convolver;
    bool accepted = false;
    sg_status status = SG_OK;
    if (node->columns < SG_TRANSFORM_LEAST_POINTS) {
        mark_short_node(field, node, cold_counts);
        return sg_monitor_tick(field->monitor) ? SG_OK : sg_monitor_stop(field->memory->context);
    }
    node_job job = plan_node(field, node, cold_counts, &convolver->in_float);
    if (job.proved || (planned_error(field, &job) < SG_WATCHED_ERROR && job.level < convolver->failed_level)) {
        SG_TRY(convolve_node(field, &job, &accepted));
        convolver->float_nodes += accepted;
        convolver->redone += !accepted;
        if (!accepted && job.level < convolver->failed_level)
            convolver->failed_level = job.level;
    }
    if (!accepted) {
        job = plan_node(field, node, cold_counts, &convolver->in_double);
        if (job.proved)
            SG_TRY(convolve_node(field, &job, &accepted));
        if (!accepted)
            SG_TRY(sg_fail(field->memory->context, SG_ERROR_INTERNAL,
                           "a convolution of %llu columns is not exact in double precision",
                           (unsigned long long)node->columns));
    }
cleanup:
    return status;
}
