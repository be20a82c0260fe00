/* One solve in progress: what the engines share. */
#ifndef SG_JOB_H
#define SG_JOB_H

#include "members.h"
#include "plan.h"
#include "result.h"

typedef struct sg_job {
    const sg_request *request;
    const sg_plan *plan;
    sg_members members;
    sg_memory memory;
    sg_monitor monitor;
    sg_result *result;
} sg_job;

/* The engines. Each fills job->result: cold_bits, zeroed, for outcomes and remoteness; values, open, for nim-values and
 * remoteness; but nim-values by blocks leave the values on the device, and fill both. */
sg_status sg_outcome_dp(sg_job *job);
sg_status sg_outcome_sieve(sg_job *job);
sg_status sg_outcome_recursion(sg_job *job);
sg_status sg_nim_dp(sg_job *job);
sg_status sg_nim_tile(sg_job *job);
sg_status sg_nim_blocks(sg_job *job);
sg_status sg_nim_levels(sg_job *job);
sg_status sg_remoteness_dp(sg_job *job);

/* Memory they take beside members and answer. */
uint64_t sg_outcome_segment_bytes(uint64_t n);
uint64_t sg_nim_dp_bytes(uint64_t value_limit);
uint64_t sg_nim_tile_bytes(uint64_t value_limit);
uint64_t sg_nim_blocks_bytes(uint64_t leaf_pos);

#endif
