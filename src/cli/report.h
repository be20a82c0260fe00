/* What a run did, and the two ways to tell it: for people (summary.c) and as JSON (json_report.c). */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cost_profile.h"
#include "options.h"
#include "sink.h"
#include "subgame.h"

typedef struct run_report {
    const sg_game *game;
    const sg_result *result;
    sg_result_info info;
    uint64_t fingerprint;
    cost_profile profile;
    sg_verify_report verified; /* samples 0 when nothing was checked */
    double seconds_output;     /* writing data; 0 when there was none */
    double seconds_total;      /* wall clock, from the first to the last of it */
} run_report;

void report_summary(const run_report *report, sink *out);
void report_json(const run_report *report, sink *out);

#endif
