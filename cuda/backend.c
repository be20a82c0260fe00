/* The module's one way in: the table of operators. Each entry makes the field's device current first, since the
 * caller's thread, or its progress callback, may have made another one so. */
#include "../src/cuda_module.h"
#include "field.h"
#include "nim_field.h"
#include "operators.h"

#include <string.h>

/* Columns are counted in 32 bits from the first one of a source block, at most half a row. */
#define MAX_COLUMNS ((uint64_t)1 << 33)

static sg_status enter(sg_field *field) {
    return SG_CUDA(field->context, cudaSetDevice(field->device));
}

#define ENTER(field, step)                                                                                             \
    do {                                                                                                               \
        sg_status entered = enter(field);                                                                              \
        return entered == SG_OK ? (step) : entered;                                                                    \
    } while (0)

static sg_status preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits) {
    ENTER(field, sg_cuda_preset(field, first_pos, count, bits));
}

static sg_status begin(sg_field *field) {
    ENTER(field, sg_cuda_begin(field));
}

static sg_status absorb(sg_field *field) {
    ENTER(field, sg_cuda_absorb_levels(field));
}

static sg_status prefetch(sg_field *field, uint64_t first_column) {
    ENTER(field, sg_cuda_prefetch(field, first_column));
}

static sg_status fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits) {
    ENTER(field, sg_cuda_fetch_hot(field, first_column, bits));
}

static sg_status store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    ENTER(field, sg_cuda_store_cold(field, first_column, bits));
}

static sg_status shift_or(sg_field *field, const sg_node *node, const sg_sources *sources) {
    ENTER(field, sg_cuda_mark_dense(field, node, sources));
}

static sg_status scatter(sg_field *field, const sg_node *node, const sg_sources *sources) {
    ENTER(field, sg_cuda_mark_sparse(field, node, sources));
}

static sg_status convolve(sg_field *field, const sg_node *node, const uint64_t *counts) {
    ENTER(field, sg_cuda_convolve(field, node, counts));
}

static sg_status report(sg_field *field, sg_field_report *report) {
    ENTER(field, sg_cuda_report(field, report));
}

__attribute__((visibility("default"))) const sg_operators *sg_cuda_operators(const char *interface);

const sg_operators *sg_cuda_operators(const char *interface) {
    static const sg_operators operators = {
        .backend = SG_BACKEND_CUDA,
        .max_columns = MAX_COLUMNS,
        .overlap_columns = SG_CUDA_WIDE_WORDS * 1024,
        .batches_levels = true,
        .nim = &sg_cuda_nim_operators,
        .count_devices = sg_cuda_count_devices,
        .describe = sg_cuda_describe,
        .check = sg_cuda_check,
        .field_need = sg_cuda_field_need,
        .open = sg_cuda_open,
        .close = sg_cuda_close,
        .preset = preset,
        .begin = begin,
        .absorb = absorb,
        .prefetch = prefetch,
        .fetch_hot = fetch_hot,
        .store_cold = store_cold,
        .shift_or = shift_or,
        .scatter = scatter,
        .convolve = convolve,
        .report = report,
    };
    return strcmp(interface, SG_CUDA_INTERFACE) == 0 ? &operators : NULL;
}
