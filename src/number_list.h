/* A growing array of numbers, finally in increasing order without duplicates. */
#ifndef SG_NUMBER_LIST_H
#define SG_NUMBER_LIST_H

#include "status.h"

typedef struct sg_number_list {
    uint64_t *numbers;
    size_t count;
    size_t capacity;
} sg_number_list;

sg_status sg_number_list_push(sg_context *context, sg_number_list *list, uint64_t number);

/* Sorts, removes duplicates and gives spare memory back. */
void sg_number_list_finish(sg_number_list *list);

/* How many numbers of a finished list are below `bound`. */
size_t sg_number_list_below(const sg_number_list *list, uint64_t bound);

bool sg_number_list_contains(const sg_number_list *list, uint64_t number);

void sg_number_list_free(sg_number_list *list);

#endif
