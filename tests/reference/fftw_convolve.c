/* convolve: the paper's Boolean convolution. Cold bits and the bits of S become sequences of 0 and 1, whose product
 * counts the ways to reach each target; a count past one half marks it.
 *
 * A node of B columns needs the shifts below 2B, and a cyclic product of length 2B: what wraps around falls into the
 * lower half, which is not read. The transform of S is the same at every node of a level, so it is made once, when
 * first used. Blocks longer than SG_CONVOLVE_MAX_PIECE are cut into pieces; the products of all source pieces (and
 * rows) for one target piece are summed before one inverse transform. The windows of S that pieces need are those of a
 * single long level, shared by all levels above it.
 *
 * Precision is planned, by the bound of precision.h. Single precision is used when that is below 1/4, else double,
 * where it holds for all that fits memory. As a guard against a transform library that is less exact than the theorem,
 * a count between 1/4 and 3/4 in single precision has the node redone in double, and in double fails the solve. */
#include "../precision.h"
#include "../tuning.h"
#include "field.h"

#if SG_HAVE_FFTW

#include <assert.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Levels 0 .. MAX_LEVELS-1; transforms of length 2^MAX_LEVELS, well inside the int that FFTW's interface takes. */
enum { MAX_LEVELS = 25 };
_Static_assert(SG_CONVOLVE_MAX_PIECE < (uint64_t)1 << MAX_LEVELS, "the longest piece has a level");

/* Complex numbers from one transform to the next: 2^level + 1, padded to keep each 64-byte aligned. */
#define STRIDE(level) (((uint64_t)1 << (level)) + 16)

struct sg_convolver {
    struct float_transforms *in_float;
    struct double_transforms *in_double;
    unsigned top_level;                   /* of the longest pieces */
    uint64_t top_pieces;                  /* pieces of the root node's source */
    uint64_t first_index[MAX_LEVELS + 1]; /* of each level's stored transforms */
    uint64_t member_count[65];            /* members with a shift of fewer than 2^i columns */
    uint8_t *arena;                       /* stored transforms */
    uint64_t arena_used;
    void *work; /* source transforms of a node and one sum */
    uint64_t float_nodes;
    uint64_t redone;
};

/* FFTW's planner is shared by the whole process, and its thread count is a global. */
static pthread_mutex_t planner_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fftw_once = PTHREAD_ONCE_INIT;

static void prepare_fftw(void) {
    fftw_init_threads();
    fftwf_init_threads();
    /* For a program that plans transforms of its own beside us. */
    fftw_make_planner_thread_safe();
    fftwf_make_planner_thread_safe();
}

static unsigned log2_of(uint64_t power) {
    return (unsigned)__builtin_ctzll(power);
}

static uint64_t root_columns(const sg_rows *rows) {
    return rows->top_columns / 2;
}

static unsigned top_level_of(const sg_rows *rows) {
    uint64_t root = root_columns(rows);
    return root ? log2_of(root < SG_CONVOLVE_MAX_PIECE ? root : SG_CONVOLVE_MAX_PIECE) : 0;
}

static uint64_t top_pieces_of(const sg_rows *rows) {
    return root_columns(rows) > SG_CONVOLVE_MAX_PIECE ? root_columns(rows) / SG_CONVOLVE_MAX_PIECE : 1;
}

static unsigned node_level(const sg_convolver *convolver, const sg_node *node) {
    unsigned level = log2_of(node->columns);
    return level < convolver->top_level ? level : convolver->top_level;
}

/* Windows of a level: one, but 2k - 1 for the level whose nodes have up to k pieces. */
static uint64_t windows_of(unsigned level, unsigned top_level, uint64_t top_pieces) {
    return level == top_level ? 2 * top_pieces - 1 : 1;
}

static uint64_t stored_index(const sg_convolver *convolver, uint64_t modulus, unsigned level, uint64_t window,
                             int64_t d) {
    uint64_t windows = windows_of(level, convolver->top_level, convolver->top_pieces);
    return convolver->first_index[level] + (uint64_t)(d + (int64_t)modulus - 1) * windows + window - 1;
}

/* Columns of a target piece to look at: those within the range, in whole words where the piece has words. */
static uint64_t used_columns(const sg_node *node, uint64_t column, uint64_t piece) {
    uint64_t left = node->target_end - column;
    if (piece >= 64)
        left = (left + 63) / 64 * 64;
    return left < piece ? left : piece;
}

#define REAL       float
#define FFTW(name) fftwf_##name
#define NAME(name) float_##name
#include "transforms_template.h"
#undef REAL
#undef FFTW
#undef NAME

#define REAL       double
#define FFTW(name) fftw_##name
#define NAME(name) double_##name
#include "transforms_template.h"
#undef REAL
#undef FFTW
#undef NAME

bool sg_cpu_can_convolve(void) {
    return true;
}

/* Stored transforms of one level, and complex numbers in them. */
static uint64_t stored_count(const sg_rows *rows, unsigned level) {
    return (2 * rows->modulus - 1) * windows_of(level, top_level_of(rows), top_pieces_of(rows));
}

static uint64_t arena_bytes(const sg_rows *rows) {
    uint64_t numbers = 0;
    for (unsigned level = log2_of(rows->leaf_columns); level <= top_level_of(rows); level++)
        numbers = sg_add_saturating(numbers, sg_multiply_saturating(stored_count(rows, level), STRIDE(level)));
    /* A level may be used in both precisions. */
    return sg_multiply_saturating(numbers, sizeof(fftwf_complex) + sizeof(fftw_complex));
}

static uint64_t work_bytes(const sg_rows *rows) {
    uint64_t transforms = sg_multiply_saturating(rows->modulus, top_pieces_of(rows)) + 1;
    return sg_multiply_saturating(transforms, STRIDE(top_level_of(rows)) * sizeof(fftw_complex));
}

static uint64_t index_bytes(const sg_rows *rows) {
    uint64_t count = 0;
    for (unsigned level = log2_of(rows->leaf_columns); level <= top_level_of(rows); level++)
        count += stored_count(rows, level);
    return count * sizeof(void *);
}

uint64_t sg_convolver_bytes(const sg_rows *rows) {
    if (rows->top_columns == rows->leaf_columns)
        return 0;
    uint64_t fixed = sizeof(sg_convolver) + sizeof(float_transforms) + sizeof(double_transforms);
    return sg_add_saturating(sg_add_saturating(arena_bytes(rows), work_bytes(rows)), fixed + 2 * index_bytes(rows));
}

sg_status sg_convolver_open(sg_field *field) {
    const sg_rows *rows = field->rows;
    sg_memory *memory = field->memory;
    sg_status status = SG_OK;
    if (rows->top_columns == rows->leaf_columns)
        return SG_OK; /* a single base case: no node, nothing to convolve */
    pthread_once(&fftw_once, prepare_fftw);
    sg_convolver *convolver;
    SG_TAKE(memory, convolver, sizeof *convolver);
    field->convolver = convolver;
    convolver->top_level = top_level_of(rows);
    convolver->top_pieces = top_pieces_of(rows);
    for (unsigned level = log2_of(rows->leaf_columns); level <= convolver->top_level; level++)
        convolver->first_index[level + 1] = convolver->first_index[level] + stored_count(rows, level);
    SG_TAKE(memory, convolver->in_float, sizeof *convolver->in_float);
    SG_TAKE(memory, convolver->in_double, sizeof *convolver->in_double);
    SG_TAKE(memory, convolver->in_float->stored, index_bytes(rows));
    SG_TAKE(memory, convolver->in_double->stored, index_bytes(rows));
    SG_TAKE(memory, convolver->arena, arena_bytes(rows));
    SG_TAKE(memory, convolver->work, work_bytes(rows));
    sg_shifts_count(field->shifts, rows, convolver->member_count);
cleanup:
    return status;
}

void sg_convolver_close(sg_field *field) {
    sg_convolver *convolver = field->convolver;
    if (!convolver)
        return;
    if (convolver->in_float) {
        float_destroy_plans(convolver->in_float);
        sg_memory_give(field->memory, convolver->in_float->stored);
    }
    if (convolver->in_double) {
        double_destroy_plans(convolver->in_double);
        sg_memory_give(field->memory, convolver->in_double->stored);
    }
    sg_memory_give(field->memory, convolver->in_float);
    sg_memory_give(field->memory, convolver->in_double);
    sg_memory_give(field->memory, convolver->arena);
    sg_memory_give(field->memory, convolver->work);
    sg_memory_give(field->memory, convolver);
    field->convolver = NULL;
}

void sg_convolver_report(const sg_field *field, sg_field_report *report) {
    if (!field->convolver)
        return;
    report->float_nodes = field->convolver->float_nodes;
    report->redone = field->convolver->redone;
}

/* The bound on the error of a count, for transforms with this roundoff. */
static double planned_error(const sg_convolver *convolver, const sg_node *node, uint64_t cold_count, uint64_t terms,
                            double roundoff) {
    unsigned columns_log2 = log2_of(node->columns);
    double k = node_level(convolver, node) + 2.0; /* length 2 * piece, and the real transform's extra pass */
    /* Windows of neighbouring pieces overlap by half, so a member counts at most twice. */
    double members = 2.0 * (double)convolver->member_count[columns_log2 + 1];
    return sg_product_error(k, (double)terms, (double)cold_count, members, roundoff);
}

sg_status sg_cpu_convolve(sg_field *field, const sg_node *node, const uint64_t *cold_counts) {
    sg_convolver *convolver = field->convolver;
    uint64_t cold_count = 0;
    bool all_clear = false;
    sg_status status = SG_OK;
    for (uint64_t r = 0; r < field->rows->modulus; r++)
        cold_count += cold_counts[r];
    uint64_t terms = field->rows->modulus * (node->columns >> node_level(convolver, node));
    if (planned_error(convolver, node, cold_count, terms, SG_FLOAT_ROUNDOFF) < 0.25) {
        SG_TRY(float_convolve(field, convolver->in_float, node, cold_counts, &all_clear));
        convolver->float_nodes += all_clear;
        convolver->redone += !all_clear;
    }
    if (!all_clear) {
        SG_TRY(double_convolve(field, convolver->in_double, node, cold_counts, &all_clear));
        if (!all_clear || planned_error(convolver, node, cold_count, terms, SG_DOUBLE_ROUNDOFF) >= 0.25)
            SG_TRY(sg_fail(field->memory->context, SG_ERROR_INTERNAL,
                           "a convolution of %llu columns is not exact in double precision",
                           (unsigned long long)node->columns));
    }
cleanup:
    return status;
}

#else

bool sg_cpu_can_convolve(void) {
    return false;
}

uint64_t sg_convolver_bytes(const sg_rows *rows) {
    (void)rows;
    return 0;
}

sg_status sg_convolver_open(sg_field *field) {
    return sg_fail(field->memory->context, SG_ERROR_UNSUPPORTED, "this build has no Fourier transform (FFTW)");
}

void sg_convolver_close(sg_field *field) {
    (void)field;
}

void sg_convolver_report(const sg_field *field, sg_field_report *report) {
    (void)field, (void)report;
}

sg_status sg_cpu_convolve(sg_field *field, const sg_node *node, const uint64_t *cold_counts) {
    (void)node, (void)cold_counts;
    return sg_convolver_open(field);
}

#endif
