/* Arrays of equal numbers, for tests of the emulated runtime. */
#ifndef EMU_NUMBER_ARRAYS_H
#define EMU_NUMBER_ARRAYS_H

#include "device_checks.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(uint32_t) };

static inline uint32_t *new_pinned(uint32_t value) {
    void *array = NULL;
    ASSERT_CUDA(cudaMallocHost(&array, BYTES));
    for (size_t i = 0; i < COUNT; i++)
        ((uint32_t *)array)[i] = value;
    return array;
}

static inline uint32_t *numbers_on_device(uint32_t value) {
    static uint32_t numbers[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = value;
    return to_device(numbers, sizeof numbers);
}

static inline uint32_t first_of(const uint32_t *device) {
    uint32_t value = 0;
    to_host(&value, device, sizeof value);
    return value;
}

#endif
