/* One number for each heap size, in the narrowest width that holds them all so far: widened when needed, never
 * truncated. They lie in the host's memory, or in a store on a device, from which they are read by range. */
#ifndef SG_VALUES_H
#define SG_VALUES_H

#include "memory.h"

/* Values on a device. Any number of threads may read at once; then none gives a context (NULL is allowed), which serves
 * one thread. */
typedef struct sg_value_store sg_value_store;

typedef struct sg_value_store_operators {
    /* Copies count values from `first` on, in the width that they have. */
    sg_status (*copy)(sg_context *context, const sg_value_store *store, uint64_t first, uint64_t count, void *values);
    /* Copies the values of `count` heap sizes. */
    sg_status (*pick)(sg_context *context, const sg_value_store *store, const uint64_t *heaps, uint64_t count,
                      uint32_t *values);
    /* How many heap sizes have each value below capacity, and the first of each, or UINT64_MAX. */
    sg_status (*histogram)(sg_context *context, const sg_value_store *store, uint64_t *counts, uint64_t capacity);
    sg_status (*first_heaps)(sg_context *context, const sg_value_store *store, uint64_t *heaps, uint64_t capacity);
    /* Bit i of word i / 64: heap size i has value 0. */
    sg_status (*zero_bits)(sg_context *context, const sg_value_store *store, uint64_t *bits);
    void (*close)(sg_value_store *store);
} sg_value_store_operators;

/* What every kind of store begins with. */
struct sg_value_store {
    const sg_value_store_operators *operators;
};

typedef struct sg_values {
    void *data;            /* NULL with a store */
    sg_value_store *store; /* NULL in the host's memory */
    uint64_t count;
    unsigned bytes;          /* of one value now: 1, 2 or 4 */
    unsigned reserved_bytes; /* of one value that there is room for without taking more memory */
    uint64_t largest;        /* value; known with a store */
} sg_values;

/* Makes room for `count` values of reserved_bytes each; they begin as zeros one byte wide. */
sg_status sg_values_open(sg_values *values, uint64_t count, unsigned reserved_bytes, sg_memory *memory);

/* Frees them, wherever they are. */
void sg_values_close(sg_values *values, sg_memory *memory);

/* Doubles the width, keeping every value. SG_ERROR_OVERFLOW past 4 bytes. Not with a store. */
sg_status sg_values_widen(sg_values *values, sg_memory *memory);

/* Wherever the values are: a range of them in their own width, or as 32-bit numbers; the values of some heap sizes. */
sg_status sg_values_copy(const sg_values *values, uint64_t first, uint64_t count, void *copied);
sg_status sg_values_read(const sg_values *values, uint64_t first, uint64_t count, uint32_t *read);
sg_status sg_values_pick(const sg_values *values, const uint64_t *heaps, uint64_t count, uint32_t *picked);

/* The i-th of values that are `bytes` wide. */
static inline uint32_t sg_value_at(const void *data, unsigned bytes, uint64_t i) {
    if (bytes == 1)
        return ((const uint8_t *)data)[i];
    if (bytes == 2)
        return ((const uint16_t *)data)[i];
    return ((const uint32_t *)data)[i];
}

/* The rest is for values in the host's memory. */

/* The largest value that the present width holds. */
static inline uint64_t sg_values_limit(const sg_values *values) {
    return ((uint64_t)1 << 8 * values->bytes) - 1;
}

static inline uint32_t sg_values_get(const sg_values *values, uint64_t i) {
    return sg_value_at(values->data, values->bytes, i);
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
