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
#include "../tuning.h"
#include "field.h"
#include "transform.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LEVEL = 12, MAX_LEVELS = 40 };
_Static_assert(SG_TRANSFORM_LEAST_POINTS == (uint64_t)1 << LEAST_LEVEL, "shorter blocks are not transformed");

/* One precision: its transforms, the level of its longest pieces, and room for transforms of them. */
typedef struct precision {
    sg_transform transform;
    unsigned top_level;
    uint8_t *work;
    double roundoff;
} precision;

struct sg_convolver {
    precision in_float;
    precision in_double;
    void **stored;  /* by stored_index: transforms of S, NULL until first used */
    uint8_t *arena; /* their storage */
    uint64_t arena_used;
    uint8_t *window_bits;      /* of the window of S that is being transformed */
    uint8_t *marks;            /* of a target piece */
    uint64_t member_count[65]; /* members with a shift of fewer than 2^i columns */
    unsigned failed_level;     /* the least one at which a watched node had to be made again */
    uint64_t float_nodes;
    uint64_t redone;
};

static unsigned log2_of(uint64_t power) {
    return (unsigned)__builtin_ctzll(power);
}

static uint64_t points_of(unsigned level) {
    return (uint64_t)1 << level;
}

/* The level of the longest pieces, for a limit on their columns. */
static unsigned top_level_of(const sg_field_shape *shape, uint64_t limit) {
    uint64_t most = shape->most_piece_columns ? shape->most_piece_columns : limit, root = shape->rows->top_columns / 2;
    unsigned level = log2_of(root < most ? root : most);
    return level < LEAST_LEVEL ? LEAST_LEVEL : level;
}

static unsigned float_level(const sg_field_shape *shape) {
    return top_level_of(shape, SG_CONVOLVE_MAX_PIECE);
}

static unsigned double_level(const sg_field_shape *shape) {
    return top_level_of(shape, SG_CONVOLVE_MAX_DOUBLE_PIECE);
}

/* The level of a node's transforms. */
static unsigned node_level(const sg_node *node, unsigned top_level) {
    unsigned level = log2_of(node->columns);
    return level < top_level ? level : top_level;
}

static uint64_t pieces_of(const sg_node *node, unsigned level) {
    return node->columns >> level;
}

/* --- memory --- */

/* Bytes of the transform of a level. */
static uint64_t transform_bytes(unsigned level, unsigned number_bytes) {
    return points_of(level) * 2 * number_bytes;
}

/* Stored transforms of a level: one for each difference of rows. */
static uint64_t stored_per_level(const sg_rows *rows) {
    return 2 * rows->modulus - 1;
}

static uint64_t stored_count(const sg_field_shape *shape) {
    return stored_per_level(shape->rows) * (float_level(shape) - LEAST_LEVEL + 1);
}

static uint64_t arena_bytes(const sg_field_shape *shape) {
    uint64_t one_of_each = 2 * transform_bytes(float_level(shape), sizeof(float));
    return sg_multiply_saturating(stored_per_level(shape->rows), one_of_each);
}

/* Transforms in hand at once: those of all source rows and their sum, but a source, a window and a sum in pieces. */
static uint64_t float_work_count(const sg_field_shape *shape) {
    bool in_pieces = shape->rows->top_columns / 2 > points_of(float_level(shape));
    uint64_t modulus = shape->rows->modulus, whole = modulus == 1 ? 1 : modulus + 1;
    return in_pieces && whole < 3 ? 3 : whole;
}

static uint64_t float_work_bytes(const sg_field_shape *shape) {
    return sg_multiply_saturating(float_work_count(shape), transform_bytes(float_level(shape), sizeof(float)));
}

static uint64_t double_work_bytes(const sg_field_shape *shape) {
    return 3 * transform_bytes(double_level(shape), sizeof(double));
}

static uint64_t bits_bytes(unsigned level) {
    return points_of(level) / 8;
}

/* A single base case has no node, and nothing to convolve. */
static bool needs_convolver(const sg_field_shape *shape) {
    return shape->convolves && shape->rows->top_columns > shape->rows->leaf_columns;
}

uint64_t sg_convolver_bytes(const sg_field_shape *shape) {
    if (!needs_convolver(shape))
        return 0;
    unsigned level = float_level(shape);
    uint64_t bytes = sizeof(sg_convolver) + stored_count(shape) * sizeof(void *) + 3 * bits_bytes(level) +
                     double_work_bytes(shape) + sg_transform_bytes(points_of(level), sizeof(float)) +
                     sg_transform_bytes(points_of(double_level(shape)), sizeof(double));
    return sg_add_saturating(sg_add_saturating(arena_bytes(shape), float_work_bytes(shape)), bytes);
}

sg_status sg_convolver_open(sg_field *field, const sg_field_shape *shape) {
    sg_memory *memory = field->memory;
    sg_status status = SG_OK;
    if (!needs_convolver(shape))
        return SG_OK;
    sg_convolver *convolver;
    SG_TAKE(memory, convolver, sizeof *convolver);
    field->convolver = convolver;
    convolver->failed_level = MAX_LEVELS;
    convolver->in_float.top_level = float_level(shape);
    convolver->in_float.roundoff = SG_FLOAT_ROUNDOFF;
    convolver->in_double.top_level = double_level(shape);
    convolver->in_double.roundoff = SG_DOUBLE_ROUNDOFF;
    SG_TAKE(memory, convolver->stored, stored_count(shape) * sizeof(void *));
    SG_TAKE(memory, convolver->arena, arena_bytes(shape));
    SG_TAKE(memory, convolver->in_float.work, float_work_bytes(shape));
    SG_TAKE(memory, convolver->in_double.work, double_work_bytes(shape));
    SG_TAKE(memory, convolver->window_bits, 2 * bits_bytes(float_level(shape)));
    SG_TAKE(memory, convolver->marks, bits_bytes(float_level(shape)));
    SG_TRY(sg_transform_open(&convolver->in_float.transform, field->kernels->transform_float,
                             points_of(float_level(shape)), field->threads, memory, field->monitor));
    SG_TRY(sg_transform_open(&convolver->in_double.transform, field->kernels->transform_double,
                             points_of(double_level(shape)), field->threads, memory, field->monitor));
    sg_shifts_count(field->shifts, field->rows, convolver->member_count);
cleanup:
    return status;
}

void sg_convolver_close(sg_field *field) {
    sg_convolver *convolver = field->convolver;
    sg_memory *memory = field->memory;
    if (!convolver)
        return;
    sg_transform_close(&convolver->in_float.transform);
    sg_transform_close(&convolver->in_double.transform);
    sg_memory_give(memory, convolver->in_float.work);
    sg_memory_give(memory, convolver->in_double.work);
    sg_memory_give(memory, convolver->stored);
    sg_memory_give(memory, convolver->arena);
    sg_memory_give(memory, convolver->window_bits);
    sg_memory_give(memory, convolver->marks);
    sg_memory_give(memory, convolver);
    field->convolver = NULL;
}

void sg_convolver_report(const sg_field *field, sg_field_report *report) {
    if (!field->convolver)
        return;
    report->float_nodes = field->convolver->float_nodes;
    report->redone = field->convolver->redone;
}

/* --- what is transformed --- */

static void set_bit(uint8_t *bits, uint64_t i) {
    bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Bits base .. base+length-1 of a row, of which those before 0 and past its columns are zero; base is a multiple of 64
 * or one less. */
static void copy_window(const sg_rows *rows, const uint8_t *row, int64_t base, uint64_t length, uint8_t *bits) {
    const uint64_t *words = (const uint64_t *)(const void *)row;
    uint64_t *window = (uint64_t *)(void *)bits, most = (rows->columns + 63) / 64 + 1;
    bool borrows = base % 64 != 0;
    int64_t first = (base + borrows) / 64;
    for (uint64_t w = 0; w < length / 64; w++) {
        uint64_t from = (uint64_t)first + w;
        if (from >= most)
            window[w] = 0;
        else
            window[w] = borrows ? words[from] << 1 | words[(int64_t)from - 1] >> 63 : words[from];
    }
}

static void list_window(const sg_shift_class *class, int64_t base, uint64_t length, uint8_t *bits) {
    memset(bits, 0, length / 8);
    for (unsigned g = 0; g < 8; g++) {
        uint64_t i = sg_lower_bound_u32(class->eighths, class->group_start[g], class->group_start[g + 1],
                                        (base - (int64_t)g + 7) / 8);
        for (; i < class->group_start[g + 1]; i++) {
            uint64_t x = (uint64_t)(8 * (int64_t) class->eighths[i] + g - base);
            if (x >= length)
                break;
            set_bit(bits, x);
        }
    }
}

/* The shifts first .. first+length-1 from row difference d = r - s, as bits in field->convolver->window_bits; both are
 * multiples of 64. */
static const uint8_t *window_bits(const sg_field *field, uint64_t first, uint64_t length, int64_t d) {
    /* Below zero the move borrows a column: its shift is one more than its class says. */
    const sg_shift_class *class = &field->shifts->classes[d < 0 ? d + (int64_t)field->rows->modulus : d];
    uint8_t *bits = field->convolver->window_bits;
    int64_t base = (int64_t)first - (d < 0);
    if (class->bits)
        copy_window(field->rows, class->bits, base, length, bits);
    else
        list_window(class, base, length, bits);
    return bits;
}

/* The transform of window w (1, 2, ...) of the shifts from row difference d = r - s: coefficient x stands for a shift
 * by (w-1) * 2^level + x columns. Scaled so that the inverse needs no factor. */
static void transform_window(const sg_field *field, const precision *in, unsigned level, uint64_t window, int64_t d,
                             void *values) {
    const uint8_t *bits = window_bits(field, (window - 1) << level, 2 * points_of(level), d);
    sg_bit_coefficients coefficients = {bits, bits + bits_bytes(level), 1.0 / (double)points_of(level)};
    sg_transform_forward(&in->transform, points_of(level), &coefficients, values);
}

/* The stored transform of window 1, in single precision. */
static const void *stored_window(const sg_field *field, unsigned level, int64_t d) {
    sg_convolver *convolver = field->convolver;
    uint64_t index =
        (level - LEAST_LEVEL) * stored_per_level(field->rows) + (uint64_t)(d + (int64_t)field->rows->modulus - 1);
    if (!convolver->stored[index]) {
        convolver->stored[index] = convolver->arena + convolver->arena_used;
        convolver->arena_used += transform_bytes(level, sizeof(float));
        transform_window(field, &convolver->in_float, level, 1, d, convolver->stored[index]);
    }
    return convolver->stored[index];
}

/* The cold bits of piece j of a source row. */
static const uint8_t *source_bits(const sg_field *field, const sg_node *node, unsigned level, uint64_t row,
                                  uint64_t j) {
    return sg_row(field->rows, field->cold, row) + (node->first + j * points_of(level)) / 8;
}

static void transform_source(const sg_field *field, const precision *in, const sg_node *node, unsigned level,
                             uint64_t row, uint64_t j, void *values) {
    sg_bit_coefficients coefficients = {source_bits(field, node, level, row, j), NULL, 1};
    sg_transform_forward(&in->transform, points_of(level), &coefficients, values);
}

/* --- nodes --- */

/* A node in one precision. */
typedef struct node_job {
    const sg_node *node;
    const uint64_t *cold_counts;
    const precision *in;
    unsigned level;
    bool proved; /* else watched */
} node_job;

static void *work_transform(const precision *in, unsigned level, uint64_t i) {
    return in->work + i * transform_bytes(level, in->transform.kernels->number_bytes);
}

/* Whether row s has anything to mark in row r. */
static bool reaches(const sg_field *field, const node_job *job, uint64_t r, uint64_t s) {
    return job->cold_counts[s] && field->shifts->classes[sg_residue_between(field->rows, r, s)].count;
}

/* The one product that a node on one row is. */
static sg_counts_quality convolve_row(const sg_field *field, const node_job *job) {
    return sg_transform_convolve(&job->in->transform, points_of(job->level),
                                 source_bits(field, job->node, job->level, 0, 0), stored_window(field, job->level, 0),
                                 job->in->work, field->convolver->marks);
}

enum { MAX_PRODUCTS = 64 };

/* The sum of the products for target row r, the source rows' transforms being in the work transforms of their numbers.
 * Past MAX_PRODUCTS of them, sums are made in memory. Returns false when there are none. */
static bool sum_rows(const sg_field *field, const node_job *job, uint64_t r, sg_counts_quality *quality) {
    uint64_t modulus = field->rows->modulus, points = points_of(job->level);
    void *sum = work_transform(job->in, job->level, modulus);
    sg_product products[MAX_PRODUCTS];
    size_t count = 0;
    bool any = false;
    for (uint64_t s = 0; s < modulus; s++) {
        if (!reaches(field, job, r, s))
            continue;
        sg_product product = {work_transform(job->in, job->level, s),
                              stored_window(field, job->level, (int64_t)r - (int64_t)s)};
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
    uint64_t points = points_of(job->level), pieces = pieces_of(job->node, job->level);
    void *source = work_transform(job->in, job->level, 0), *window = work_transform(job->in, job->level, 1);
    void *sum = work_transform(job->in, job->level, 2);
    sg_product product = {source, window};
    bool any = false;
    for (uint64_t s = 0; s < field->rows->modulus; s++)
        for (uint64_t j = 0; j < pieces && reaches(field, job, r, s); j++, any = true) {
            transform_source(field, job->in, job->node, job->level, s, j, source);
            transform_window(field, job->in, job->level, pieces + i - j, (int64_t)r - (int64_t)s, window);
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
            set_bit(hot_row, column + i);
}

static bool is_accepted(const node_job *job, const sg_counts_quality *quality) {
    assert(!job->proved || quality->distance < SG_PROVED_ERROR);
    return !quality->doubtful && (job->proved || quality->distance <= SG_WATCHED_DISTANCE);
}

/* Piece i of target row r. Sets *accepted to false, with nothing marked, when the counts were not clear. */
static sg_status convolve_target(const sg_field *field, const node_job *job, uint64_t r, uint64_t i, bool *accepted) {
    const sg_node *node = job->node;
    const precision *in_float = &field->convolver->in_float;
    uint64_t piece = points_of(job->level), column = node->first + node->columns + i * piece;
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
            transform_source(field, job->in, job->node, job->level, s, 0, work_transform(job->in, job->level, s));
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
    const uint8_t *window = window_bits(field, 0, length, (int64_t)r - (int64_t)s);
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
    double members = (double)convolver->member_count[log2_of(job->node->columns) + 1] * (pieces > 1 ? 2 : 1);
    return sg_count_error(job->level, (double)(modulus * pieces), (double)cold_count, members, job->in->roundoff);
}

static node_job plan_node(const sg_field *field, const sg_node *node, const uint64_t *cold_counts,
                          const precision *in) {
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
