/* How exact a convolution of 0/1 sequences is: planned, not hoped for.
 *
 * Let u be the unit roundoff, and measure a transform of 2^k points by the 2-norm, which each of its k levels, once
 * divided by sqrt(2), leaves alone. To first order, a level's additions add u to the relative error, and a product with
 * a twiddle factor adds sqrt(5) u for the arithmetic (R. P. Brent, C. Percival, P. Zimmermann, Error bounds on complex
 * floating-point multiplication, Math. Comp. 76 (2007)) and u for the factor, which is rounded once. The transforms of
 * cpu/transform.h have k levels, and one product for two levels (radix 4) or two for three (radix 8); their tiles (8
 * levels in single precision, 6 in double) have three products with constants and two with twists, each of which is
 * itself a product of two rounded factors, so good for 2 + sqrt(5) + sqrt(5) u. In all at most
 *
 *   k + (1 + sqrt(5)) * (k - 6) * 2/3 + 3 * (1 + sqrt(5)) + 2 * (2 + 2 * sqrt(5)) < 3.16 k + 9.8
 *
 * units. A count is an inner product of both sequences, and so by Cauchy and Schwarz it is wrong by at most the sum of
 * what both transforms, the products of their entries (sqrt(5), and one for each of the terms that are summed) and the
 * inverse add, times |x| |y| (theorem 5.1 there). 0/1 sequences have |x| = sqrt(cold positions), |y| = sqrt(members).
 * Below 1/4, counts are told from their neighbours.
 *
 * The bound lets all roundoffs conspire. Sets whose spectrum is a few peaks (all multiples of 2, 3, 5, 7, and the full
 * set) come within a factor 27 of it, at every length; sets that are spread out or sparse, within some hundreds or
 * thousands. So where single precision is not proved but the bound is below SG_WATCHED_ERROR, which 27 times smaller
 * could not make a zero of a one, it is tried and watched: a node's answer is taken when each of its counts, all of
 * them, came out within SG_WATCHED_DISTANCE of an integer, and is otherwise made again in double precision. That is
 * evidence, not proof: a wrong answer would need an error of twelve times what any of the thousands to millions of
 * other counts of the node show, and itself within a sixteenth of an integer. */
#ifndef SG_PRECISION_H
#define SG_PRECISION_H

#include <math.h>

#define SG_FLOAT_ROUNDOFF  0x1p-24
#define SG_DOUBLE_ROUNDOFF 0x1p-53

#define SG_PROVED_ERROR     0.25
#define SG_WATCHED_ERROR    16.0
#define SG_WATCHED_DISTANCE 0.0625

/* The bound on the error of a count, for `terms` summed products of transforms of 2^k points. */
static inline double sg_count_error(double k, double terms, double cold_count, double member_count, double roundoff) {
    return roundoff * (3 * (3.16 * k + 9.8) + 2.24 + terms) * sqrt(cold_count * member_count);
}

/* The same for a transform library of which no more is known than that it is of radix 2 at the worst and its twiddle
 * factors are rounded once: theorem 5.1 as it stands, for k levels and passes over the numbers. */
static inline double sg_product_error(double k, double terms, double cold_count, double member_count, double roundoff) {
    return roundoff * (6 * k + sqrt(5) * (3 * k + 1) + terms) * sqrt(cold_count * member_count);
}

#endif
