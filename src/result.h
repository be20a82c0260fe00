/* A finished solve. */
#ifndef SG_RESULT_H
#define SG_RESULT_H

#include "backend.h"
#include "values.h"

enum { SG_FALLBACK_BYTES = 512 };

struct sg_result {
    sg_result_info info; /* info.device and info.fallback point to the next two */
    char device_name[128];
    char fallback[SG_FALLBACK_BYTES];
    sg_field_report field_report;
    uint64_t *cold_bits; /* bit p for heap size p; outcomes, remoteness, and nim-values on a device */
    sg_values values;    /* nim-values and remoteness */
};

/* Counts cold positions and finds the maximum: fills the fields of info that come from the answer. */
sg_status sg_result_summarise(sg_context *context, sg_result *result);

#endif
