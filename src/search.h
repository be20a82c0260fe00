/* Binary search in rising arrays: the first index in array[first .. end) whose entry is at least `bound`, or end. */
#ifndef SG_SEARCH_H
#define SG_SEARCH_H

#include <stdint.h>

static inline uint64_t sg_lower_bound_u64(const uint64_t *array, uint64_t first, uint64_t end, uint64_t bound) {
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;
        if (array[middle] < bound)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static inline uint64_t sg_lower_bound_u32(const uint32_t *array, uint64_t first, uint64_t end, int64_t bound) {
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;
        if ((int64_t)array[middle] < bound)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

#endif
