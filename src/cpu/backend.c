/* The CPU backend: planes in memory, and the operators' table. */
#include "backend.h"
#include "../tuning.h"
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sg_need field_need(const sg_field_shape *shape) {
    const sg_rows *rows = shape->rows;
    uint64_t plane_count = 2 * shape->levels + (shape->with_preset ? 1 : 0);
    uint64_t planes = sg_multiply_saturating(plane_count, sg_rows_plane_bytes(rows));
    uint64_t lists = 4 * sg_cold_capacity(rows) + rows->modulus * sizeof(sg_cold_list);
    uint64_t bytes = sg_add_saturating(planes, sg_add_saturating(lists, sg_live_bytes(rows, shape->threads)));
    return (sg_need){.host_bytes = sg_add_saturating(bytes, sg_convolver_bytes(shape))};
}

static sg_status close_field(sg_field *field) {
    sg_memory *memory = field->memory;
    sg_convolver_close(field);
    sg_memory_give(memory, field->hot_planes);
    sg_memory_give(memory, field->cold_planes);
    sg_memory_give(memory, field->preset);
    sg_memory_give(memory, field->cold_columns);
    sg_memory_give(memory, field->cold_lists);
    sg_memory_give(memory, field->live);
    free(field);
    return SG_OK;
}

/* Makes the planes of a level those that the operators work on. */
static void select_level(sg_field *field, uint64_t level) {
    uint64_t offset = level * sg_rows_plane_bytes(field->rows);
    field->hot = field->hot_planes + offset;
    field->cold = field->cold_planes + offset;
}

static sg_status open_field(const sg_field_spec *spec, sg_field **opened) {
    sg_status status;
    const sg_field_shape *shape = &spec->shape;
    uint64_t plane_bytes = sg_rows_plane_bytes(shape->rows);
    sg_field *field = calloc(1, sizeof *field);
    if (!field)
        return sg_fail(spec->memory->context, SG_ERROR_OUT_OF_MEMORY, "no memory for a field");
    field->rows = shape->rows;
    field->shifts = spec->shifts;
    field->memory = spec->memory;
    field->monitor = spec->monitor;
    field->threads = shape->threads;
    field->levels = shape->levels;
    SG_TRY(sg_kernels_select(spec->memory->context, &field->kernels));
    SG_TAKE(spec->memory, field->hot_planes, shape->levels * plane_bytes);
    SG_TAKE(spec->memory, field->cold_planes, shape->levels * plane_bytes);
    select_level(field, 0);
    if (shape->with_preset)
        SG_TAKE(spec->memory, field->preset, plane_bytes);
    field->cold_capacity = sg_cold_capacity(shape->rows);
    SG_TAKE(spec->memory, field->cold_columns, 4 * field->cold_capacity);
    SG_TAKE(spec->memory, field->cold_lists, shape->rows->modulus * sizeof *field->cold_lists);
    field->live_stride = sg_live_stride(shape->rows, shape->threads);
    SG_TAKE(spec->memory, field->live, sg_live_bytes(shape->rows, shape->threads));
    SG_TRY(sg_convolver_open(field, shape));
    *opened = field;
    return SG_OK;
cleanup:
    close_field(field);
    return status;
}

static sg_status preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits) {
    for (uint64_t i = 0; i < count; i++)
        if (bits[i / 64] >> i % 64 & 1)
            sg_set_bit(field->rows, field->preset, sg_place_of(field->rows, first_pos + i));
    return SG_OK;
}

static sg_status begin(sg_field *field) {
    uint64_t bytes = sg_rows_plane_bytes(field->rows);
    /* Fresh planes are zero already: to write them once more would touch all their memory before the first tick. */
    if (field->is_used)
        memset(field->cold_planes, 0, field->levels * bytes);
    for (uint64_t level = 0; level < field->levels && field->preset; level++)
        memcpy(field->hot_planes + level * bytes, field->preset, bytes);
    if (field->is_used && !field->preset)
        memset(field->hot_planes, 0, field->levels * bytes);
    field->is_used = true;
    return SG_OK;
}

static sg_status begin_with(sg_field *field, const uint64_t *hot) {
    if (field->is_used)
        memset(field->cold, 0, sg_rows_plane_bytes(field->rows));
    field->is_used = true;
    sg_place_hot(field, hot);
    return SG_OK;
}

static sg_status absorb(sg_field *field) {
    uint64_t words = sg_rows_plane_bytes(field->rows) / 8;
    uint64_t *into = (uint64_t *)(void *)field->preset;
    const uint64_t *from = (const uint64_t *)(const void *)field->cold_planes;
    for (uint64_t level = 0; level < field->levels; level++, from += words)
        for (uint64_t w = 0; w < words; w++)
            into[w] |= from[w];
    return SG_OK;
}

static sg_status fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits) {
    for (uint64_t level = 0; level < field->levels; level++, bits += sg_leaf_words(field->rows)) {
        select_level(field, level);
        sg_fetch_block(field, first_column, bits);
    }
    return SG_OK;
}

static sg_status store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    for (uint64_t level = 0; level < field->levels; level++, bits += sg_leaf_words(field->rows)) {
        select_level(field, level);
        sg_store_block(field, first_column, bits);
    }
    return SG_OK;
}

/* The operators take one level after another. */

typedef sg_status (*level_operator)(sg_field *field, const sg_node *node, const uint32_t *sources,
                                    uint64_t source_count);

static sg_status by_level(sg_field *field, const sg_node *node, const sg_sources *sources, level_operator apply) {
    sg_status status = SG_OK;
    for (uint64_t level = 0; level < field->levels && status == SG_OK; level++) {
        uint64_t first = sources->first[level], count = sources->end[level] - first;
        select_level(field, level);
        if (count)
            status = apply(field, node, sources->rows + first, count);
    }
    return status;
}

static sg_status shift_or(sg_field *field, const sg_node *node, const sg_sources *sources) {
    return by_level(field, node, sources, sg_cpu_shift_or);
}

static sg_status scatter(sg_field *field, const sg_node *node, const sg_sources *sources) {
    return by_level(field, node, sources, sg_cpu_scatter);
}

static sg_status convolve(sg_field *field, const sg_node *node, const uint64_t *counts) {
    sg_status status = SG_OK;
    for (uint64_t level = 0; level < field->levels && status == SG_OK; level++, counts += field->rows->modulus) {
        bool any = false;
        for (uint64_t r = 0; r < field->rows->modulus && !any; r++)
            any = counts[r] > 0;
        select_level(field, level);
        if (any)
            status = sg_cpu_convolve(field, node, counts);
    }
    return status;
}

static sg_status report(sg_field *field, sg_field_report *report) {
    *report = (sg_field_report){0};
    sg_convolver_report(field, report);
    return SG_OK;
}

/* The processor's model name as Linux gives it. */
static void read_model_name(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

static sg_status count_devices(sg_context *context, uint32_t *count) {
    (void)context;
    *count = 1;
    return SG_OK;
}

static sg_status describe(sg_context *context, uint32_t index, sg_device_info *info) {
    (void)context, (void)index;
    *info = (sg_device_info){
        .struct_size = sizeof *info,
        .memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
        .free_bytes = sg_memory_available_bytes(),
        .processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
    };
    read_model_name(info->name, sizeof info->name);
    return SG_OK;
}

/* The CPU is trusted; tests and sampled verification watch over it. */
static sg_status check(sg_context *context, const sg_device *device) {
    (void)context, (void)device;
    return SG_OK;
}

const sg_operators *sg_cpu_operators(void) {
    static const sg_operators operators = {
        .backend = SG_BACKEND_CPU,
        .max_columns = (uint64_t)1 << 32, /* lists hold columns in 32 bits */
        .count_devices = count_devices,
        .describe = describe,
        .check = check,
        .field_need = field_need,
        .open = open_field,
        .close = close_field,
        .preset = preset,
        .begin = begin,
        .begin_with = begin_with,
        .absorb = absorb,
        .fetch_hot = fetch_hot,
        .store_cold = store_cold,
        .shift_or = shift_or,
        .scatter = scatter,
        .convolve = convolve,
        .report = report,
    };
    return &operators;
}
