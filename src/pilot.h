/* Small solves from which the planner foresees large ones. */
#ifndef SG_PILOT_H
#define SG_PILOT_H

#include "plan.h"

typedef struct sg_pilot {
    uint64_t n;
    uint64_t *cold; /* its cold heap sizes, rising */
    uint64_t cold_count;
    double cold_exponent; /* cold heap sizes below x grow like x to this power */
} sg_pilot;

/* Solves outcomes of the request's game for its first heap sizes, SG_PILOT_POS at most. Release with sg_pilot_free. */
sg_status sg_pilot_run(const sg_request *request, sg_pilot *pilot);
void sg_pilot_free(sg_pilot *pilot);

/* Cold heap sizes below x, by the pilot's growth. */
double sg_pilot_cold_below(const sg_pilot *pilot, double x);

/* Foresees the largest nim-value below n; exact for n up to SG_PILOT_NIM_POS. */
sg_status sg_pilot_max_nim(const sg_request *request, uint64_t *max_value);

#endif
