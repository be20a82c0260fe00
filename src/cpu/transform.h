/* Right-angle transforms: what turns a product of bit vectors into one pass over numbers.
 *
 * A block of B source columns is a polynomial with B coefficients 0 or 1; the shifts below 2B are one of complex
 * coefficients, bit x in the real and bit B + x in the imaginary part, which is to say modulo z^B - i, where z^B stands
 * for i. Their product modulo z^B - i has the upper half of the real product, the B columns after the source, in its
 * imaginary part. So one complex transform of length B does what would take a real one of length 2B padded with zeros.
 *
 * The transform splits z^N - c into z^(N/4) - (each fourth root of c), and so on. Node b of that tree stands for the
 * polynomials modulo z^N - exp(2 pi i rho(b)), where rho reverses the bits of b behind the point (rho(1) = 1/2, rho(2)
 * = 1/4, rho(3) = 3/4); its children in radix r are rb .. rb + r-1, and the root is node 2, since i = exp(2 pi i / 4).
 * Children stand where their coefficients were, so the values come out in bit-reversed order, which no one minds:
 * transforms are multiplied entry by entry, and the inverse takes the same steps back.
 *
 * The first pass reads bits and the last one writes bits, so that numbers pass through memory as seldom as possible;
 * what lies between works depth first, in blocks that fit the cache, and multiplies at the leaves. */
#ifndef SG_CPU_TRANSFORM_H
#define SG_CPU_TRANSFORM_H

#include "../memory.h"
#include "../monitor.h"
#include "kernels.h"

/* Transforms in one precision up to one length, for one solve. */
typedef struct sg_transform {
    const sg_transform_kernels *kernels;
    sg_twiddles twiddles;
    uint32_t threads;
    sg_monitor *monitor;
    sg_memory *memory;
} sg_transform;

/* Points of the shortest transform in either precision. */
#define SG_TRANSFORM_LEAST_POINTS ((uint64_t)1 << 12)

/* Tables for lengths up to most_points, a power of two >= SG_TRANSFORM_LEAST_POINTS. Release with sg_transform_close.
 */
sg_status sg_transform_open(sg_transform *transform, const sg_transform_kernels *kernels, uint64_t most_points,
                            uint32_t threads, sg_memory *memory, sg_monitor *monitor);
void sg_transform_close(sg_transform *transform);

/* No more than sg_transform_open takes; number_bytes is 4 or 8. */
uint64_t sg_transform_bytes(uint64_t most_points, unsigned number_bytes);

/* values becomes the transform of real + i * imaginary, times `unit`; `imaginary` may be NULL. Both have `points` bits,
 * and values `points` complex numbers, 64-byte aligned. */
void sg_transform_forward(const sg_transform *transform, uint64_t points, const sg_bit_coefficients *bits,
                          void *values);

/* marks (`points` bits) receives which counts exceed one half in the upper half of source * stored. `values` is working
 * space of `points` complex numbers. */
sg_counts_quality sg_transform_convolve(const sg_transform *transform, uint64_t points, const uint8_t *source_bits,
                                        const void *stored, void *values, uint8_t *marks);

/* The same for the sum of several products of transforms, which `values` receives; with none, for that of which values
 * is the transform. */
sg_counts_quality sg_transform_sum(const sg_transform *transform, uint64_t points, const sg_product *products,
                                   size_t product_count, void *values, uint8_t *marks);

/* sum = or += left * right, entry by entry. */
void sg_transform_multiply(const sg_transform *transform, uint64_t points, const sg_product *product, bool add,
                           void *sum);

#endif
