/* A finished solve. */
#ifndef SG_RESULT_H
#define SG_RESULT_H

#include "values.h"

enum { SG_DEVICE_NAME_BYTES = 128 };

struct sg_result {
    sg_result_info info; /* info.device points to device_name */
    char device_name[SG_DEVICE_NAME_BYTES];
    uint64_t *cold_bits; /* bit p for heap size p; outcomes and remoteness */
    sg_values values;    /* nim-values and remoteness */
};

/* Counts cold positions and finds the maximum: fills the fields of info that come from the answer. */
void sg_result_summarise(sg_result *result);

#endif
