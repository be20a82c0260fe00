/* Nim-values by levels: the paper's theorem 3. The heap sizes of value v are the cold positions of the game whose
 * hotspots are the heap sizes of smaller value (lemma 2), so the outcome solver runs once per value, with those marked
 * hot beforehand, until every heap size has a value. Right where values stay small: subtract-a-prime has none past 11
 * below 10^9. Several levels can share one run, which gives a GPU its batches: then each base case is solved level by
 * level. */
#include "job.h"
#include "recursion.h"

typedef struct level_run {
    sg_job *job;
    uint64_t first_value; /* of the run in hand: its level 0 */
    uint64_t found_pos;   /* heap sizes with a value so far, all runs */
} level_run;

static sg_status emit_value(void *user, uint64_t level, uint64_t first_pos, uint64_t count, const uint64_t *cold) {
    level_run *run = user;
    sg_values *values = &run->job->result->values;
    uint64_t value = run->first_value + level;
    sg_status status = SG_OK;
    for (uint64_t w = 0; w < (count + 63) / 64; w++)
        for (uint64_t rest = cold[w]; rest; rest &= rest - 1) {
            while (value > sg_values_limit(values))
                SG_TRY(sg_values_widen(values, &run->job->memory));
            sg_values_set(values, first_pos + 64 * w + (uint64_t)__builtin_ctzll(rest), value);
            run->found_pos++;
        }
    sg_monitor_advance(&run->job->monitor, (double)run->found_pos / (double)run->job->request->n, run->found_pos);
cleanup:
    return status;
}

sg_status sg_nim_levels(sg_job *job) {
    sg_recursion recursion = {0};
    level_run run = {.job = job};
    uint64_t batch = job->plan->level_batch;
    sg_status status;
    SG_TRY(sg_recursion_open(&recursion, job->request, job->plan, &job->members, true, &job->memory, &job->monitor));
    for (; run.found_pos < job->request->n; run.first_value += batch) {
        SG_TRY(sg_recursion_run(&recursion, emit_value, &run));
        SG_TRY(recursion.operators->absorb(recursion.field));
    }
    job->result->info.levels = run.first_value;
    SG_TRY(sg_recursion_report(&recursion, job->result));
cleanup:
    return sg_first_failure(status, sg_recursion_close(&recursion));
}
