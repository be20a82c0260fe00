/* One number for each heap size, in the narrowest width that holds them all so far: widened when needed, never
 * truncated. */
#ifndef SG_VALUES_H
#define SG_VALUES_H

#include "memory.h"

typedef struct sg_values {
    void *data;
    uint64_t count;
    unsigned bytes;          /* of one value now: 1, 2 or 4 */
    unsigned reserved_bytes; /* of one value that there is room for without taking more memory */
} sg_values;

/* Makes room for `count` values of reserved_bytes each; they begin as zeros one byte wide. */
sg_status sg_values_open(sg_values *values, uint64_t count, unsigned reserved_bytes, sg_memory *memory);

/* Doubles the width, keeping every value. SG_ERROR_OVERFLOW past 4 bytes. */
sg_status sg_values_widen(sg_values *values, sg_memory *memory);

/* The largest value that the present width holds. */
static inline uint64_t sg_values_limit(const sg_values *values) {
    return ((uint64_t)1 << 8 * values->bytes) - 1;
}

static inline uint32_t sg_values_get(const sg_values *values, uint64_t i) {
    if (values->bytes == 1)
        return ((const uint8_t *)values->data)[i];
    if (values->bytes == 2)
        return ((const uint16_t *)values->data)[i];
    return ((const uint32_t *)values->data)[i];
}

/* The value must fit the present width. */
static inline void sg_values_set(sg_values *values, uint64_t i, uint64_t value) {
    if (values->bytes == 1)
        ((uint8_t *)values->data)[i] = (uint8_t)value;
    else if (values->bytes == 2)
        ((uint16_t *)values->data)[i] = (uint16_t)value;
    else
        ((uint32_t *)values->data)[i] = (uint32_t)value;
}

#endif
