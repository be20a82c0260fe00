/* The layout of the recursion: heap sizes on M residue rows, and S sorted by residue to match.
 *
 * Row r holds the heap sizes p = j*M + r at column j. A move by s = q*M + t takes row r to row (r - t) mod M and moves
 * it by q columns, plus one (the borrow) when r < t. With M = 1 there is one row, column = heap size: the paper's bit
 * vector. Residues matter because many games keep their cold positions in few classes (squares: mod 5, 13, 65, ...;
 * primes: odd ones): rows that hold no cold position are marked hot quickly and then cost nothing. */
#ifndef SG_ROWS_H
#define SG_ROWS_H

#include "members.h"
#include "number.h"

typedef struct sg_rows {
    uint64_t n;            /* heap sizes 0 .. n-1 */
    uint64_t modulus;      /* M */
    uint64_t inverse;      /* 2^64 / M rounded up, for M > 1 */
    uint64_t columns;      /* ceil(n / M) */
    uint64_t leaf_columns; /* columns of a base case, a power of two */
    uint64_t top_columns;  /* leaf_columns times a power of two, at least `columns`: the root of the recursion */
    uint64_t row_bytes;    /* from one row of a plane to the next, guard included; a multiple of 64 */
} sg_rows;

/* Lays out n >= 1 heap sizes for base cases of at most base_threshold_pos heap sizes (one column at least). */
sg_rows sg_rows_make(uint64_t n, uint64_t modulus, uint64_t base_threshold_pos);

/* Rows that are read at byte offsets up to this far before their first and past their last byte read zeros: shifted
 * operators need no edge cases. */
enum { SG_ROW_GUARD_BYTES = 1024 };

/* A plane is M rows of bits between guards; sg_rows_plane_bytes gives its size, sg_row where row r begins in it. */
uint64_t sg_rows_plane_bytes(const sg_rows *rows);

static inline uint8_t *sg_row(const sg_rows *rows, uint8_t *plane, uint64_t r) {
    return plane + SG_ROW_GUARD_BYTES + r * rows->row_bytes;
}

/* Where heap size p lies: a multiplication instead of a division, exact for p < 2^48 since M < 2^17. */
typedef struct sg_place {
    uint64_t row;
    uint64_t column;
} sg_place;

static inline sg_place sg_place_of(const sg_rows *rows, uint64_t p) {
    uint64_t column = rows->modulus == 1 ? p : (uint64_t)((sg_u128)p * rows->inverse >> 64);
    return (sg_place){p - column * rows->modulus, column};
}

/* Words that hold the bits of a base case, one for each of its leaf_columns * M heap sizes. */
static inline uint64_t sg_leaf_words(const sg_rows *rows) {
    return (rows->leaf_columns * rows->modulus + 63) / 64;
}

/* The residue t of the moves from target row r to source row s; they borrow a column when r < t. */
static inline uint64_t sg_residue_between(const sg_rows *rows, uint64_t r, uint64_t s) {
    return r >= s ? r - s : r + rows->modulus - s;
}

/* The members of S with residue t: the q with q*M + t in S. Sparse classes are lists of shifts; dense ones a row of
 * bits (bit q), which operators shift by cold positions instead. */
typedef struct sg_shift_class {
    uint64_t count;
    uint32_t *columns; /* the q, ascending; NULL for a dense class */
    uint8_t *bits;     /* a guarded row; NULL for a sparse class */
} sg_shift_class;

typedef struct sg_shifts {
    uint64_t n; /* of the layout: larger members are no moves */
    uint64_t modulus;
    sg_shift_class *classes; /* by residue t */
    uint32_t *residues;      /* the t that have members, ascending */
    uint64_t residue_count;
    uint64_t dense_count; /* classes held as bits */
    uint32_t *lists;      /* storage of all lists */
    uint8_t *bit_rows;    /* storage of all bit rows */
} sg_shifts;

/* Sorts the members below rows->n by residue. Release with sg_shifts_free. */
sg_status sg_shifts_build(sg_shifts *shifts, const sg_rows *rows, const sg_members *members, sg_memory *memory);
void sg_shifts_free(sg_shifts *shifts, sg_memory *memory);

/* counts[i] becomes the number of members whose shift is below 2^i columns. */
void sg_shifts_count(const sg_shifts *shifts, const sg_rows *rows, uint64_t counts[65]);

/* No more than sg_shifts_build takes for `count` members. */
uint64_t sg_shifts_bytes(const sg_rows *rows, uint64_t count);

/* Whether a class of `count` members is held as a list. */
bool sg_class_is_listed(const sg_rows *rows, uint64_t count);

#endif
