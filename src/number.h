/* The number grammar of sg_parse_number, also for numbers inside set specifications. */
#ifndef SG_NUMBER_H
#define SG_NUMBER_H

#include "status.h"

__extension__ typedef unsigned __int128 sg_u128;
__extension__ typedef __int128 sg_i128;

/* Reads the `length` characters at `text`, which need not end there. `what` names the number in error texts ("limit",
 * "member"). SG_ERROR_PARSE or SG_ERROR_OVERFLOW, both naming the token. */
sg_status sg_number_parse(sg_context *context, const char *what, const char *text, size_t length, uint64_t *value);

/* floor(sqrt(x)), exact for every x. */
uint64_t sg_isqrt(sg_u128 x);

/* Greatest common divisor; gcd(a, 0) = a. */
uint64_t sg_gcd(uint64_t a, uint64_t b);

#endif
