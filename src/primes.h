/* The primes below a limit, in batches. */
#ifndef SG_PRIMES_H
#define SG_PRIMES_H

#include "status.h"

typedef struct sg_primes sg_primes;

sg_status sg_primes_open(sg_context *context, uint64_t limit, sg_primes **primes);

/* Writes the next primes, as many as there are and fit, and their number to *count; 0 means the end. */
sg_status sg_primes_next(sg_context *context, sg_primes *primes, uint64_t *members, size_t capacity, size_t *count);

/* NULL is allowed. */
void sg_primes_close(sg_primes *primes);

#endif
