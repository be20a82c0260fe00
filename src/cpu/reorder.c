/* Between heap order and rows. Most heap sizes are hot, so both ways start from all hot and clear what is open: by
 * tiles of 64 rows and 64 columns, which are transposed, or bit by bit where there are too few rows to fill a tile.
 * Cold positions are few and go one by one. */
#include "../tuning.h"
#include "field.h"

#include <string.h>

static bool goes_by_tiles(const sg_rows *rows, uint64_t first_column) {
    return rows->modulus >= SG_TRANSPOSE_LEAST_ROWS && first_column % 64 == 0;
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

static void clear_open(uint64_t *bits, uint64_t first, uint64_t open) {
    unsigned shift = (unsigned)(first % 64);
    if (!open)
        return;
    bits[first / 64] &= ~(open << shift);
    if (shift && open >> (64 - shift))
        bits[first / 64 + 1] &= ~(open >> (64 - shift));
}

/* Clears the open heap sizes of up to 64 rows from `row` on in the 64 columns from `column` on; bit 0 of `bits` is
 * column first_column of row 0. */
static void fetch_tile(const sg_field *field, uint64_t row, uint64_t column, uint64_t end, uint64_t first_column,
                       uint64_t *bits) {
    const sg_rows *rows = field->rows;
    uint64_t open[64] = {0}, count = rows->modulus - row < 64 ? rows->modulus - row : 64;
    for (uint64_t r = 0; r < count; r++)
        open[r] = open_columns(sg_row(rows, field->hot, row + r), column, end);
    field->kernels->transpose->transpose(open);
    for (uint64_t c = 0; c < 64; c++)
        clear_open(bits, (column + c - first_column) * rows->modulus + row, open[c]);
}

static void fetch_row(const sg_field *field, uint64_t row, uint64_t first_column, uint64_t end, uint64_t *bits) {
    const uint8_t *hot_row = sg_row(field->rows, field->hot, row);
    for (uint64_t column = first_column; column < end; column = (column / 64 + 1) * 64)
        for (uint64_t open = open_columns(hot_row, column, end); open; open &= open - 1) {
            uint64_t at = column / 64 * 64 + (uint64_t)__builtin_ctzll(open);
            clear_open(bits, (at - first_column) * field->rows->modulus + row, 1);
        }
}

void sg_fetch_block(const sg_field *field, uint64_t first_column, uint64_t *bits) {
    const sg_rows *rows = field->rows;
    uint64_t words = sg_leaf_words(rows), first_pos = first_column * rows->modulus;
    uint64_t end =
        first_column + rows->leaf_columns < rows->columns ? first_column + rows->leaf_columns : rows->columns;
    if (is_plain(rows, first_column)) {
        memcpy(bits, sg_row(rows, field->hot, 0) + first_column / 8, 8 * ((end - first_column + 63) / 64));
    } else {
        memset(bits, 0xff, 8 * words);
        bool tiles = goes_by_tiles(rows, first_column);
        for (uint64_t column = first_column; column < end && tiles; column += 64)
            for (uint64_t row = 0; row < rows->modulus; row += 64)
                fetch_tile(field, row, column, end, first_column, bits);
        for (uint64_t row = 0; row < rows->modulus && !tiles; row++)
            fetch_row(field, row, first_column, end, bits);
    }
    uint64_t block_pos = (end - first_column) * rows->modulus;
    mark_rest(bits, words, rows->n - first_pos < block_pos ? rows->n - first_pos : block_pos);
}

void sg_store_block(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    const sg_rows *rows = field->rows;
    if (is_plain(rows, first_column)) {
        uint64_t left = (rows->columns - first_column + 63) / 64, words = sg_leaf_words(rows);
        memcpy(sg_row(rows, field->cold, 0) + first_column / 8, bits, 8 * (left < words ? left : words));
        return;
    }
    for (uint64_t w = 0; w < sg_leaf_words(rows); w++)
        for (uint64_t rest = bits[w]; rest; rest &= rest - 1) {
            sg_place place = sg_place_of(rows, 64 * w + (uint64_t)__builtin_ctzll(rest));
            sg_set_bit(rows, field->cold, (sg_place){place.row, first_column + place.column});
        }
}

/* The open ones among the `count` <= 64 heap sizes from p on. */
static uint64_t open_from(const sg_rows *rows, const uint64_t *hot, uint64_t p, uint64_t count) {
    if (p >= rows->n)
        return 0;
    if (rows->n - p < count)
        count = rows->n - p;
    uint64_t w = p / 64, shift = p % 64, word = ~hot[w] >> shift;
    if (shift + count > 64)
        word |= ~hot[w + 1] << (64 - shift);
    return count < 64 ? word & (((uint64_t)1 << count) - 1) : word;
}

static void place_tile(sg_field *field, uint64_t row, uint64_t column, const uint64_t *hot) {
    const sg_rows *rows = field->rows;
    uint64_t open[64], count = rows->modulus - row < 64 ? rows->modulus - row : 64;
    for (uint64_t c = 0; c < 64; c++)
        open[c] = open_from(rows, hot, (column + c) * rows->modulus + row, count);
    field->kernels->transpose->transpose(open);
    for (uint64_t r = 0; r < count; r++) {
        uint64_t marks = ~open[r];
        memcpy(sg_row(rows, field->hot, row + r) + column / 8, &marks, 8);
    }
}

void sg_place_hot(sg_field *field, const uint64_t *hot) {
    const sg_rows *rows = field->rows;
    bool tiles = goes_by_tiles(rows, 0);
    for (uint64_t row = 0; row < rows->modulus; row++)
        memset(sg_row(rows, field->hot, row), 0xff, rows->row_bytes - SG_ROW_GUARD_BYTES);
    for (uint64_t column = 0; column < rows->columns && tiles; column += 64)
        for (uint64_t row = 0; row < rows->modulus; row += 64)
            place_tile(field, row, column, hot);
    for (uint64_t w = 0; w < (rows->n + 63) / 64 && !tiles; w++)
        for (uint64_t open = open_from(rows, hot, 64 * w, 64); open; open &= open - 1) {
            sg_place place = sg_place_of(rows, 64 * w + (uint64_t)__builtin_ctzll(open));
            sg_row(rows, field->hot, place.row)[place.column / 8] &= (uint8_t) ~(1u << place.column % 8);
        }
}
