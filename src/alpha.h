/* The slope of a Beatty sequence floor(k * alpha). */
#ifndef SG_ALPHA_H
#define SG_ALPHA_H

#include "number.h"
#include "text.h"

/* alpha = whole + fraction / 2^128, fraction = high * 2^64 + low. */
typedef struct sg_alpha {
    uint64_t whole;
    uint64_t high, low;
} sg_alpha;

/* Reads phi, sqrt2, e, p/q or a decimal, alpha >= 1, and writes the canonical spelling. */
enum { SG_ALPHA_TEXT_BYTES = 48 };
sg_status sg_alpha_parse(sg_context *context, sg_text text, sg_alpha *alpha, char name[SG_ALPHA_TEXT_BYTES]);

/* floor(k * alpha), exact when it is below 2^64; otherwise some number that is not. */
static inline sg_u128 sg_alpha_multiple(const sg_alpha *alpha, uint64_t k) {
    sg_u128 carried = (sg_u128)k * alpha->low >> 64;
    return (sg_u128)k * alpha->whole + (((sg_u128)k * alpha->high + carried) >> 64);
}

#endif
