/* Cold positions of source rows as lists, in ranges small enough for the lists to stay in cache. */
#include "../tuning.h"
#include "field.h"

#include <string.h>

uint64_t sg_cold_capacity(const sg_rows *rows) {
    /* A range of 512 columns must always fit; short games have few cold positions, and would notice a large block. */
    uint64_t columns = rows->columns < 512 ? (rows->columns + 63) / 64 * 64 : 512;
    uint64_t least = columns * rows->modulus, share = rows->n / SG_COLD_LIST_SHARE;
    uint64_t most = share < SG_COLD_LIST_MAX ? share : SG_COLD_LIST_MAX;
    return least > most ? least : most;
}

/* The words of a row that hold columns first .. end-1; columns beside them in the first and last word come along, which
 * is harmless: marks made twice are the same marks. */
typedef struct word_range {
    const uint64_t *words;
    uint64_t first;
    uint64_t end;
} word_range;

static word_range words_of(const sg_field *field, uint64_t row, uint64_t first, uint64_t end) {
    const uint8_t *bits = sg_row(field->rows, field->cold, row);
    return (word_range){(const uint64_t *)(const void *)bits, first / 64, (end + 63) / 64};
}

static uint64_t count_range(const sg_field *field, const uint32_t *sources, uint64_t source_count, uint64_t first,
                            uint64_t end) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < source_count; i++) {
        word_range range = words_of(field, sources[i], first, end);
        for (uint64_t w = range.first; w < range.end; w++)
            count += (uint64_t)__builtin_popcountll(range.words[w]);
    }
    return count;
}

void sg_cold_lists_build(sg_field *field, const uint32_t *sources, uint64_t source_count, uint64_t first,
                         uint64_t end) {
    uint32_t *storage = field->cold_columns;
    for (uint64_t i = 0; i < source_count; i++) {
        sg_cold_list *list = &field->cold_lists[sources[i]];
        word_range range = words_of(field, sources[i], first, end);
        list->columns = storage;
        for (uint64_t w = range.first; w < range.end; w++)
            for (uint64_t rest = range.words[w]; rest; rest &= rest - 1)
                *storage++ = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(rest));
        list->count = (uint64_t)(storage - list->columns);
    }
}

void sg_source_ranges(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count,
                      sg_range_visit visit, void *argument) {
    /* With dense classes short ranges come first: often they mark the whole target, and nothing is left for the long
     * ones. */
    uint64_t length = field->shifts->dense_count ? SG_FIRST_RANGE_COLUMNS : node->columns;
    uint64_t end = node->first + node->columns;
    while (end > node->first) {
        uint64_t first = end - node->first > length ? (end - length) / 64 * 64 : node->first;
        if (first < node->first)
            first = node->first;
        uint64_t count = count_range(field, sources, source_count, first, end);
        if (count > field->cold_capacity) {
            length /= 2;
            continue;
        }
        if (count) {
            sg_cold_lists_build(field, sources, source_count, first, end);
            if (!visit(field, node, argument))
                return;
        }
        end = first;
        length *= 4;
    }
}
