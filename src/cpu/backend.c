/* The CPU backend: planes in memory, the operators' table, and the change of layout at base cases. */
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

static void set_bit(const sg_rows *rows, uint8_t *plane, sg_place place) {
    sg_row(rows, plane, place.row)[place.column / 8] |= (uint8_t)(1u << place.column % 8);
}

static sg_status preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits) {
    for (uint64_t i = 0; i < count; i++)
        if (bits[i / 64] >> i % 64 & 1)
            set_bit(field->rows, field->preset, sg_place_of(field->rows, first_pos + i));
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
    const sg_rows *rows = field->rows;
    if (field->is_used)
        memset(field->cold, 0, sg_rows_plane_bytes(rows));
    field->is_used = true;
    /* Most heap sizes are hot: what is open is cleared. */
    for (uint64_t r = 0; r < rows->modulus; r++)
        memset(sg_row(rows, field->hot, r), 0xff, rows->row_bytes - SG_ROW_GUARD_BYTES);
    for (uint64_t w = 0; w < (rows->n + 63) / 64; w++)
        for (uint64_t open = ~hot[w]; open; open &= open - 1) {
            sg_place place = sg_place_of(rows, 64 * w + (uint64_t)__builtin_ctzll(open));
            sg_row(rows, field->hot, place.row)[place.column / 8] &= (uint8_t) ~(1u << place.column % 8);
        }
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

/* Whether a base case is the same bits in a row as in heap order, at whole words: the copy is then a memcpy. */
static bool is_plain(const sg_rows *rows, uint64_t first_column) {
    return rows->modulus == 1 && first_column % 64 == 0 && rows->leaf_columns % 64 == 0;
}

/* Marks bits from `count` on as hot: they are past n or past the block. */
static void mark_rest(uint64_t *bits, uint64_t words, uint64_t count) {
    if (count % 64)
        bits[count / 64] |= UINT64_MAX << count % 64;
    for (uint64_t w = (count + 63) / 64; w < words; w++)
        bits[w] = UINT64_MAX;
}

/* The unmarked columns among the 64 from `column` on, those from `end` on counted as marked. */
static uint64_t open_columns(const uint8_t *hot_row, uint64_t column, uint64_t end) {
    uint64_t word;
    memcpy(&word, hot_row + column / 64 * 8, 8);
    uint64_t open = ~word & UINT64_MAX << column % 64;
    uint64_t word_end = (column / 64 + 1) * 64;
    return end < word_end ? open & UINT64_MAX >> (word_end - end) : open;
}

static void fetch_level(const sg_field *field, uint64_t first_column, uint64_t *bits) {
    const sg_rows *rows = field->rows;
    uint64_t modulus = rows->modulus, words = sg_leaf_words(rows), first_pos = first_column * modulus;
    uint64_t end =
        first_column + rows->leaf_columns < rows->columns ? first_column + rows->leaf_columns : rows->columns;
    if (is_plain(rows, first_column)) {
        memcpy(bits, sg_row(rows, field->hot, 0) + first_column / 8, 8 * ((end - first_column + 63) / 64));
    } else {
        /* Most heap sizes are hot, so start from all hot and clear the few that are open. */
        memset(bits, 0xff, 8 * words);
        for (uint64_t r = 0; r < modulus; r++) {
            const uint8_t *row = sg_row(rows, field->hot, r);
            for (uint64_t column = first_column; column < end; column = (column / 64 + 1) * 64)
                for (uint64_t open = open_columns(row, column, end); open; open &= open - 1) {
                    uint64_t at = column / 64 * 64 + (uint64_t)__builtin_ctzll(open);
                    uint64_t i = (at - first_column) * modulus + r;
                    bits[i / 64] &= ~((uint64_t)1 << i % 64);
                }
        }
    }
    uint64_t block_pos = (end - first_column) * modulus;
    mark_rest(bits, words, rows->n - first_pos < block_pos ? rows->n - first_pos : block_pos);
}

static sg_status fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits) {
    for (uint64_t level = 0; level < field->levels; level++, bits += sg_leaf_words(field->rows)) {
        select_level(field, level);
        fetch_level(field, first_column, bits);
    }
    return SG_OK;
}

static void store_level(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    const sg_rows *rows = field->rows;
    if (is_plain(rows, first_column)) {
        uint64_t left = (rows->columns - first_column + 63) / 64, words = sg_leaf_words(rows);
        memcpy(sg_row(rows, field->cold, 0) + first_column / 8, bits, 8 * (left < words ? left : words));
        return;
    }
    for (uint64_t w = 0; w < sg_leaf_words(rows); w++)
        for (uint64_t rest = bits[w]; rest; rest &= rest - 1) {
            sg_place place = sg_place_of(rows, 64 * w + (uint64_t)__builtin_ctzll(rest));
            set_bit(rows, field->cold, (sg_place){place.row, first_column + place.column});
        }
}

static sg_status store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    for (uint64_t level = 0; level < field->levels; level++, bits += sg_leaf_words(field->rows)) {
        select_level(field, level);
        store_level(field, first_column, bits);
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
