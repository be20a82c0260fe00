#include "rows.h"
#include "tuning.h"

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Bytes of the bits of a row, padded to whole segments so that operators may write whole segments. */
static uint64_t row_payload_bytes(const sg_rows *rows) {
    return round_up(rows->columns, SG_SEGMENT_BITS) / 8;
}

sg_rows sg_rows_make(uint64_t n, uint64_t modulus, uint64_t base_threshold_pos) {
    sg_rows rows = {.n = n, .modulus = modulus, .columns = (n - 1) / modulus + 1, .leaf_columns = 1};
    rows.inverse = UINT64_MAX / modulus + 1; /* 0 for M = 1, which needs none */
    while (rows.leaf_columns * 2 <= base_threshold_pos / modulus && rows.leaf_columns < rows.columns)
        rows.leaf_columns *= 2;
    rows.top_columns = rows.leaf_columns;
    while (rows.top_columns < rows.columns && rows.top_columns <= UINT64_MAX / 4)
        rows.top_columns *= 2;
    /* An odd number of cache lines: the same column of many rows then falls into different sets of a cache. */
    rows.row_bytes = (row_payload_bytes(&rows) + SG_ROW_GUARD_BYTES) | 64;
    return rows;
}

uint64_t sg_rows_plane_bytes(const sg_rows *rows) {
    return sg_add_saturating(sg_multiply_saturating(rows->row_bytes, rows->modulus), SG_ROW_GUARD_BYTES);
}

bool sg_class_is_listed(const sg_rows *rows, uint64_t count) {
    return count <= rows->columns / SG_LIST_DENSITY_INVERSE + 1;
}

uint64_t sg_shifts_bytes(const sg_rows *rows, uint64_t count) {
    /* A list entry is 4 bytes. A dense class has more than columns / 64 members, so its bits take at most 8 bytes a
     * member, its padding aside. And there is at most one row, or one list of a sparse class, for each residue. */
    uint64_t sparse_most = rows->columns / SG_LIST_DENSITY_INVERSE + 1;
    uint64_t padding = sg_multiply_saturating(count / sparse_most + 1, SG_ROW_GUARD_BYTES + 64 + SG_SEGMENT_BITS / 8);
    uint64_t by_members = sg_add_saturating(sg_multiply_saturating(8, count), padding);
    uint64_t listed_most = sg_multiply_saturating(rows->modulus, sparse_most);
    uint64_t by_residues = sg_add_saturating(sg_rows_plane_bytes(rows),
                                             sg_multiply_saturating(4, count < listed_most ? count : listed_most));
    uint64_t fixed = rows->modulus * (sizeof(sg_shift_class) + sizeof(uint32_t));
    return sg_add_saturating(fixed, by_members < by_residues ? by_members : by_residues);
}

static void count_classes(sg_shifts *shifts, const sg_members *members) {
    uint64_t s;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < shifts->n;)
        shifts->classes[s % shifts->modulus].count++;
}

/* Hands out list and row storage to the classes and lists the residues. */
static void place_classes(sg_shifts *shifts, const sg_rows *rows) {
    uint32_t *list = shifts->lists;
    uint8_t *row = shifts->bit_rows;
    for (uint64_t t = 0; t < shifts->modulus; t++) {
        sg_shift_class *class = &shifts->classes[t];
        if (!class->count)
            continue;
        shifts->residues[shifts->residue_count++] = (uint32_t)t;
        if (sg_class_is_listed(rows, class->count)) {
            class->columns = list;
            list += class->count;
        } else {
            class->bits = row + SG_ROW_GUARD_BYTES;
            row += rows->row_bytes;
        }
    }
}

static void fill_classes(sg_shifts *shifts, const sg_members *members) {
    uint64_t s;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < shifts->n;) {
        sg_shift_class *class = &shifts->classes[s % shifts->modulus];
        uint64_t q = s / shifts->modulus;
        if (class->columns)
            *class->columns++ = (uint32_t)q;
        else
            class->bits[q / 8] |= (uint8_t)(1u << q % 8);
    }
    for (uint64_t t = 0; t < shifts->modulus; t++)
        if (shifts->classes[t].columns)
            shifts->classes[t].columns -= shifts->classes[t].count; /* filling moved it to its end */
}

sg_status sg_shifts_build(sg_shifts *shifts, const sg_rows *rows, const sg_members *members, sg_memory *memory) {
    sg_status status;
    uint64_t listed = 0;
    *shifts = (sg_shifts){.n = rows->n, .modulus = rows->modulus};
    SG_TAKE(memory, shifts->classes, rows->modulus * sizeof *shifts->classes);
    SG_TAKE(memory, shifts->residues, rows->modulus * sizeof *shifts->residues);
    count_classes(shifts, members);
    for (uint64_t t = 0; t < rows->modulus; t++) {
        uint64_t count = shifts->classes[t].count;
        if (sg_class_is_listed(rows, count))
            listed += count;
        else
            shifts->dense_count++;
    }
    SG_TAKE(memory, shifts->lists, listed * sizeof *shifts->lists);
    if (shifts->dense_count)
        SG_TAKE(memory, shifts->bit_rows, shifts->dense_count * rows->row_bytes + SG_ROW_GUARD_BYTES);
    place_classes(shifts, rows);
    fill_classes(shifts, members);
cleanup:
    return status;
}

void sg_shifts_free(sg_shifts *shifts, sg_memory *memory) {
    sg_memory_give(memory, shifts->classes);
    sg_memory_give(memory, shifts->residues);
    sg_memory_give(memory, shifts->lists);
    sg_memory_give(memory, shifts->bit_rows);
    *shifts = (sg_shifts){0};
}

/* Past the first, all bits of a word have numbers of the same length. */
static void count_bits(const uint64_t *words, uint64_t word_count, uint64_t counts[65]) {
    for (uint64_t rest = words[0]; rest; rest &= rest - 1) {
        unsigned q = (unsigned)__builtin_ctzll(rest);
        counts[q ? 32 - (unsigned)__builtin_clz(q) : 0]++;
    }
    for (uint64_t w = 1; w < word_count; w++)
        counts[64 - (unsigned)__builtin_clzll(64 * w)] += (uint64_t)__builtin_popcountll(words[w]);
}

void sg_shifts_count(const sg_shifts *shifts, const sg_rows *rows, uint64_t counts[65]) {
    for (unsigned i = 0; i < 65; i++)
        counts[i] = 0;
    for (uint64_t t = 0; t < shifts->modulus; t++) {
        const sg_shift_class *class = &shifts->classes[t];
        for (uint64_t i = 0; class->columns && i < class->count; i++)
            counts[class->columns[i] ? 32 - (unsigned)__builtin_clz(class->columns[i]) : 0]++;
        if (class->bits)
            count_bits((const uint64_t *)(const void *)class->bits, (rows->columns + 63) / 64, counts);
    }
    for (unsigned i = 1; i < 65; i++)
        counts[i] += counts[i - 1];
}
