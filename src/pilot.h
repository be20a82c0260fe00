/* Small solves from which the planner foresees large ones. */
#ifndef SG_PILOT_H
#define SG_PILOT_H

#include "plan.h"

/* Nim-values are solved by levels, whose heap sizes fall into residue classes each in its own way: this many are looked
 * at. */
enum { SG_PILOT_LEVELS = 3 };

typedef struct sg_pilot_level {
    uint64_t *heaps; /* rising */
    uint64_t count;
} sg_pilot_level;

typedef struct sg_pilot {
    uint64_t n;                             /* heap sizes solved */
    sg_pilot_level levels[SG_PILOT_LEVELS]; /* outcomes: the cold heap sizes; nim: those of a few values */
    unsigned level_count;
    double cold_exponent; /* outcomes: cold heap sizes below x grow like x to this power */
    uint64_t max_value;   /* nim and remoteness: foreseen for the request's n; exact when n is the pilot's */
} sg_pilot;

/* Heap sizes of the longest pilot for a mode; shorter games need none to be solved. */
uint64_t sg_pilot_longest(sg_mode mode);

/* Solves the request's game for its first heap sizes, at most sg_pilot_longest of them. Release with sg_pilot_free,
 * also after a failure. */
sg_status sg_pilot_run(const sg_request *request, sg_pilot *pilot);
/* The same for the first n, outcomes laid out as the plan says. */
sg_status sg_pilot_run_longer(const sg_request *request, uint64_t n, const sg_plan *layout, sg_pilot *pilot);
void sg_pilot_free(sg_pilot *pilot);

/* Heap sizes below n of one level: the cold ones, or the average of all values. */
double sg_pilot_level_size(const sg_pilot *pilot, double n);

#endif
