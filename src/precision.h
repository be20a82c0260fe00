/* How exact a convolution of 0/1 sequences is: planned, not hoped for.
 *
 * For a cyclic product of length 2^k by transforms with roundoff eps, each output is wrong by at most
 * eps * (3k + sqrt(5)*(3k+1) + 3k) * |x| * |y| to first order (R. P. Brent, C. Percival, P. Zimmermann, Error bounds on
 * complex floating-point multiplication, Math. Comp. 76 (2007), theorem 5.1, with twiddle factors as exact as eps); 0/1
 * sequences have |x| = sqrt(cold positions), |y| = sqrt(members). An extra pass over the numbers (a real transform's, a
 * twist) counts as one more k, and a sum of T products adds T. Below 1/4, counts are told from their neighbours. */
#ifndef SG_PRECISION_H
#define SG_PRECISION_H

#include <math.h>

#define SG_FLOAT_ROUNDOFF  0x1p-24
#define SG_DOUBLE_ROUNDOFF 0x1p-53

/* Of the error of a count, for `terms` summed products with log2 length and passes `k`. */
static inline double sg_product_error(double k, double terms, double cold_count, double member_count, double roundoff) {
    return roundoff * (6 * k + sqrt(5) * (3 * k + 1) + terms) * sqrt(cold_count * member_count);
}

#endif
