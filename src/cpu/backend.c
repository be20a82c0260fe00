/* The CPU backend: planes in memory, the operators' table, and the change of layout at base cases. */
#include "backend.h"
#include "../tuning.h"
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t pairs_bytes(const sg_rows *rows, uint32_t threads) {
    return sg_multiply_saturating(sg_multiply_saturating(rows->modulus, threads), sizeof(sg_shift_pair));
}

static uint64_t field_bytes(const sg_rows *rows, uint32_t threads, bool with_preset, bool convolves) {
    uint64_t planes = sg_multiply_saturating(with_preset ? 3 : 2, sg_rows_plane_bytes(rows));
    uint64_t lists = 4 * sg_cold_list_capacity(rows) + rows->modulus * sizeof(sg_cold_group);
    uint64_t bytes = sg_add_saturating(planes, sg_add_saturating(lists, pairs_bytes(rows, threads)));
    return convolves ? sg_add_saturating(bytes, sg_convolver_bytes(rows)) : bytes;
}

static void close_field(sg_field *field) {
    if (!field)
        return;
    sg_memory *memory = field->memory;
    sg_convolver_close(field);
    sg_memory_give(memory, field->hot);
    sg_memory_give(memory, field->cold);
    sg_memory_give(memory, field->preset);
    sg_memory_give(memory, field->cold_list);
    sg_memory_give(memory, field->cold_groups);
    sg_memory_give(memory, field->pairs);
    free(field);
}

static sg_status open_field(const sg_field_spec *spec, sg_field **opened) {
    sg_status status;
    uint64_t plane_bytes = sg_rows_plane_bytes(spec->rows);
    sg_field *field = calloc(1, sizeof *field);
    if (!field)
        return sg_fail(spec->memory->context, SG_ERROR_OUT_OF_MEMORY, "no memory for a field");
    field->rows = spec->rows;
    field->shifts = spec->shifts;
    field->memory = spec->memory;
    field->monitor = spec->monitor;
    field->threads = spec->threads;
    SG_TRY(sg_kernels_select(spec->memory->context, &field->kernels));
    SG_TAKE(spec->memory, field->hot, plane_bytes);
    SG_TAKE(spec->memory, field->cold, plane_bytes);
    if (spec->with_preset)
        SG_TAKE(spec->memory, field->preset, plane_bytes);
    field->cold_list_capacity = sg_cold_list_capacity(spec->rows);
    SG_TAKE(spec->memory, field->cold_list, 4 * field->cold_list_capacity);
    SG_TAKE(spec->memory, field->cold_groups, spec->rows->modulus * sizeof *field->cold_groups);
    SG_TAKE(spec->memory, field->pairs, pairs_bytes(spec->rows, spec->threads));
    if (spec->convolves)
        SG_TRY(sg_convolver_open(field));
    *opened = field;
    return SG_OK;
cleanup:
    close_field(field);
    return status;
}

static sg_status preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits) {
    uint64_t modulus = field->rows->modulus;
    for (uint64_t i = 0; i < count; i++)
        if (bits[i / 64] >> i % 64 & 1) {
            uint64_t p = first_pos + i, column = p / modulus;
            sg_row(field->rows, field->preset, p % modulus)[column / 8] |= (uint8_t)(1u << column % 8);
        }
    return SG_OK;
}

static sg_status begin(sg_field *field) {
    uint64_t bytes = sg_rows_plane_bytes(field->rows);
    /* Fresh planes are zero already: to write them once more would touch all their memory before the first tick. */
    if (field->is_used)
        memset(field->cold, 0, bytes);
    if (field->preset)
        memcpy(field->hot, field->preset, bytes);
    else if (field->is_used)
        memset(field->hot, 0, bytes);
    field->is_used = true;
    return SG_OK;
}

static sg_status absorb(sg_field *field) {
    uint64_t words = sg_rows_plane_bytes(field->rows) / 8;
    uint64_t *into = (uint64_t *)(void *)field->preset;
    const uint64_t *from = (const uint64_t *)(const void *)field->cold;
    for (uint64_t w = 0; w < words; w++)
        into[w] |= from[w];
    return SG_OK;
}

/* Whether a base case is the same bits in a row as in heap order, at whole words: the copy is then a memcpy. */
static bool is_plain(const sg_rows *rows, uint64_t first_column) {
    return rows->modulus == 1 && first_column % 64 == 0 && rows->leaf_columns % 64 == 0;
}

static uint64_t leaf_words(const sg_rows *rows) {
    return (rows->leaf_columns * rows->modulus + 63) / 64;
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

static sg_status fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits) {
    const sg_rows *rows = field->rows;
    uint64_t modulus = rows->modulus, words = leaf_words(rows), first_pos = first_column * modulus;
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
    return SG_OK;
}

static sg_status store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    const sg_rows *rows = field->rows;
    if (is_plain(rows, first_column)) {
        uint64_t left = (rows->columns - first_column + 63) / 64, words = leaf_words(rows);
        memcpy(sg_row(rows, field->cold, 0) + first_column / 8, bits, 8 * (left < words ? left : words));
        return SG_OK;
    }
    for (uint64_t w = 0; w < leaf_words(rows); w++)
        for (uint64_t rest = bits[w]; rest; rest &= rest - 1) {
            uint64_t i = 64 * w + (uint64_t)__builtin_ctzll(rest);
            uint64_t column = first_column + i / rows->modulus;
            sg_row(rows, field->cold, i % rows->modulus)[column / 8] |= (uint8_t)(1u << column % 8);
        }
    return SG_OK;
}

static sg_status count_cold(sg_field *field, const sg_node *node, uint64_t *counts) {
    uint64_t first = node->first, end = node->first + node->columns;
    uint64_t first_mask = UINT64_MAX << first % 64;
    uint64_t last_mask = end % 64 ? UINT64_MAX >> (64 - end % 64) : UINT64_MAX;
    uint64_t last_word = (end - 1) / 64;
    for (uint64_t r = 0; r < field->rows->modulus; r++) {
        const uint64_t *words = (const uint64_t *)(const void *)sg_row(field->rows, field->cold, r);
        uint64_t count = 0;
        for (uint64_t w = first / 64; w <= last_word; w++) {
            uint64_t word = words[w];
            if (w == first / 64)
                word &= first_mask;
            if (w == last_word)
                word &= last_mask;
            count += (uint64_t)__builtin_popcountll(word);
        }
        counts[r] = count;
    }
    return SG_OK;
}

/* The processor's model name as Linux gives it. */
static void device_name(char *name, size_t size) {
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

const sg_operators *sg_cpu_operators(void) {
    static const sg_operators operators = {
        .backend = SG_BACKEND_CPU,
        .device_name = device_name,
        .can_convolve = sg_cpu_can_convolve,
        .field_bytes = field_bytes,
        .open = open_field,
        .close = close_field,
        .preset = preset,
        .begin = begin,
        .absorb = absorb,
        .fetch_hot = fetch_hot,
        .store_cold = store_cold,
        .count_cold = count_cold,
        .shift_or = sg_cpu_shift_or,
        .scatter = sg_cpu_scatter,
        .convolve = sg_cpu_convolve,
        .convolve_counts = sg_convolver_counts,
    };
    return &operators;
}
