/* Levels, memory, and the transforms of S and of sources. */
#include "convolver.h"
#include "../precision.h"
#include "../tuning.h"

#include <string.h>

/* The level of the longest pieces, for a limit on their columns. */
static unsigned top_level_of(const sg_field_shape *shape, uint64_t limit) {
    uint64_t most = shape->most_piece_columns ? shape->most_piece_columns : limit, root = shape->rows->top_columns / 2;
    unsigned level = sg_level_of(root < most ? root : most);
    return level < SG_LEAST_LEVEL ? SG_LEAST_LEVEL : level;
}

static unsigned float_level(const sg_field_shape *shape) {
    return top_level_of(shape, SG_CONVOLVE_MAX_PIECE);
}

static unsigned double_level(const sg_field_shape *shape) {
    return top_level_of(shape, SG_CONVOLVE_MAX_DOUBLE_PIECE);
}

/* Stored transforms of a level: one for each difference of rows. */
static uint64_t stored_per_level(const sg_rows *rows) {
    return 2 * rows->modulus - 1;
}

static uint64_t stored_count(const sg_field_shape *shape) {
    return stored_per_level(shape->rows) * (float_level(shape) - SG_LEAST_LEVEL + 1);
}

/* Whether the transforms of the top level and those of all lower ones, which together are as long, take turns in the
 * same memory. The top level has a single node where nothing is in pieces, so they are made anew once. */
static bool takes_turns(const sg_field_shape *shape) {
    return sg_level_bytes(float_level(shape), sizeof(float)) >= SG_CONVOLVE_TURNS_BYTES;
}

static uint64_t arena_bytes(const sg_field_shape *shape) {
    uint64_t one_of_each = (takes_turns(shape) ? 1 : 2) * sg_level_bytes(float_level(shape), sizeof(float));
    return sg_multiply_saturating(stored_per_level(shape->rows), one_of_each);
}

/* Transforms in hand at once: those of all source rows and their sum, but a source, a window and a sum in pieces. */
static uint64_t float_work_count(const sg_field_shape *shape) {
    bool in_pieces = shape->rows->top_columns / 2 > sg_level_points(float_level(shape));
    uint64_t modulus = shape->rows->modulus, whole = modulus == 1 ? 1 : modulus + 1;
    return in_pieces && whole < 3 ? 3 : whole;
}

static uint64_t float_work_bytes(const sg_field_shape *shape) {
    return sg_multiply_saturating(float_work_count(shape), sg_level_bytes(float_level(shape), sizeof(float)));
}

static uint64_t double_work_bytes(const sg_field_shape *shape) {
    return 3 * sg_level_bytes(double_level(shape), sizeof(double));
}

static uint64_t bits_bytes(unsigned level) {
    return sg_level_points(level) / 8;
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
                     double_work_bytes(shape) + sg_transform_bytes(sg_level_points(level), sizeof(float)) +
                     sg_transform_bytes(sg_level_points(double_level(shape)), sizeof(double));
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
    convolver->failed_level = SG_MAX_LEVELS;
    convolver->takes_turns = takes_turns(shape);
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
                             sg_level_points(float_level(shape)), field->threads, memory, field->monitor));
    SG_TRY(sg_transform_open(&convolver->in_double.transform, field->kernels->transform_double,
                             sg_level_points(double_level(shape)), field->threads, memory, field->monitor));
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
    uint64_t i = sg_lower_bound_u32(class->columns, 0, class->count, base);
    for (; i < class->count && (int64_t) class->columns[i] - base < (int64_t)length; i++) {
        uint64_t x = (uint64_t)((int64_t) class->columns[i] - base);
        bits[x / 8] |= (uint8_t)(1u << x % 8);
    }
}

const uint8_t *sg_convolver_window_bits(const sg_field *field, uint64_t first, uint64_t length, int64_t d) {
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

void sg_convolver_transform_window(const sg_field *field, const sg_precision *in, unsigned level, uint64_t window,
                                   int64_t d, void *values) {
    const uint8_t *bits = sg_convolver_window_bits(field, (window - 1) << level, 2 * sg_level_points(level), d);
    sg_bit_coefficients coefficients = {bits, bits + bits_bytes(level), 1.0 / (double)sg_level_points(level)};
    sg_transform_forward(&in->transform, sg_level_points(level), &coefficients, values);
}

const void *sg_convolver_stored(const sg_field *field, unsigned level, int64_t d) {
    sg_convolver *convolver = field->convolver;
    bool is_top = level == convolver->in_float.top_level;
    if (convolver->takes_turns && is_top != convolver->holds_top) {
        for (uint64_t i = 0; i < stored_per_level(field->rows) * (convolver->in_float.top_level - SG_LEAST_LEVEL + 1);
             i++)
            convolver->stored[i] = NULL;
        convolver->arena_used = 0;
        convolver->holds_top = is_top;
    }
    uint64_t index =
        (level - SG_LEAST_LEVEL) * stored_per_level(field->rows) + (uint64_t)(d + (int64_t)field->rows->modulus - 1);
    if (!convolver->stored[index]) {
        convolver->stored[index] = convolver->arena + convolver->arena_used;
        convolver->arena_used += sg_level_bytes(level, sizeof(float));
        sg_convolver_transform_window(field, &convolver->in_float, level, 1, d, convolver->stored[index]);
    }
    return convolver->stored[index];
}

void sg_convolver_transform_source(const sg_field *field, const sg_precision *in, unsigned level, uint64_t row,
                                   uint64_t column, void *values) {
    sg_bit_coefficients coefficients = {sg_row(field->rows, field->cold, row) + column / 8, NULL, 1};
    sg_transform_forward(&in->transform, sg_level_points(level), &coefficients, values);
}
