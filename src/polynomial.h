/* Integer polynomials in k and the increasing sequence of their positive values at k = 1, 2, 3, ... */
#ifndef SG_POLYNOMIAL_H
#define SG_POLYNOMIAL_H

#include "number.h"
#include "text.h"

/* With a higher degree the differences of the polynomial would not fit 128 bits. */
enum { SG_POLYNOMIAL_DEGREE_MAX = 20 };

/* A range of k in which the values rise (do not fall) or fall (do not rise) as k grows. */
typedef struct sg_monotone_piece {
    sg_i128 first, last;
    bool rising;
} sg_monotone_piece;

typedef struct sg_polynomial {
    int degree;
    sg_i128 coefficient[SG_POLYNOMIAL_DEGREE_MAX + 1]; /* of k^0, k^1, ... */
    int piece_count;
    sg_monotone_piece piece[SG_POLYNOMIAL_DEGREE_MAX + 1];
} sg_polynomial;

/* Sums of terms such as 3k^2, 2*k, -k*k, 7. Refuses constants and a negative leading coefficient. */
sg_status sg_polynomial_parse(sg_context *context, sg_text text, sg_polynomial *polynomial);

/* Writes the canonical spelling, e.g. "3k^2+2k-1". */
enum { SG_POLYNOMIAL_TEXT_BYTES = 32 * (SG_POLYNOMIAL_DEGREE_MAX + 1) };
void sg_polynomial_print(const sg_polynomial *polynomial, char text[SG_POLYNOMIAL_TEXT_BYTES]);

bool sg_polynomial_has_value(const sg_polynomial *polynomial, uint64_t value);

/* Goes through the positive values in strictly increasing order. */
typedef struct sg_polynomial_walk {
    const sg_polynomial *polynomial;
    sg_i128 k[SG_POLYNOMIAL_DEGREE_MAX + 1]; /* where each piece stands */
    sg_i128 value[SG_POLYNOMIAL_DEGREE_MAX + 1];
} sg_polynomial_walk;

void sg_polynomial_walk_start(sg_polynomial_walk *walk, const sg_polynomial *polynomial);

/* The next value, or false when there is none below `limit`. */
bool sg_polynomial_walk_next(sg_polynomial_walk *walk, uint64_t limit, uint64_t *value);

#endif
