/* Lists of numbers, as explicit sets and set files give them: any order, repetitions, from three to hundreds of
 * millions. */
#include "number_list.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

sg_status sg_number_list_push(sg_context *context, sg_number_list *list, uint64_t number) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity + list->capacity / 2 : FIRST_CAPACITY;
        uint64_t *numbers =
            capacity > SIZE_MAX / sizeof *numbers ? NULL : realloc(list->numbers, capacity * sizeof *numbers);
        if (!numbers)
            return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a list of %zu numbers", capacity);
        list->numbers = numbers;
        list->capacity = capacity;
    }
    list->numbers[list->count++] = number;
    return SG_OK;
}

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool is_increasing(const sg_number_list *list) {
    for (size_t i = 1; i < list->count; i++)
        if (list->numbers[i - 1] >= list->numbers[i])
            return false;
    return true;
}

void sg_number_list_finish(sg_number_list *list) {
    if (list->count == 0)
        return;
    if (!is_increasing(list)) {
        qsort(list->numbers, list->count, sizeof *list->numbers, compare);
        size_t kept = 1;
        for (size_t i = 1; i < list->count; i++)
            if (list->numbers[i] != list->numbers[kept - 1])
                list->numbers[kept++] = list->numbers[i];
        list->count = kept;
    }
    uint64_t *exact = realloc(list->numbers, list->count * sizeof *list->numbers);
    if (exact) {
        list->numbers = exact;
        list->capacity = list->count;
    }
}

size_t sg_number_list_below(const sg_number_list *list, uint64_t bound) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->numbers[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sg_number_list_contains(const sg_number_list *list, uint64_t number) {
    size_t index = sg_number_list_below(list, number);
    return index < list->count && list->numbers[index] == number;
}

void sg_number_list_free(sg_number_list *list) {
    free(list->numbers);
    *list = (sg_number_list){0};
}
