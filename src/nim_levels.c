/* Nim-values by levels: the paper's theorem 3. The heap sizes of value v are the cold positions of the game whose
 * hotspots are the heap sizes of smaller value (lemma 2), so the outcome solver runs once per value, with those marked
 * hot beforehand, until every heap size has a value. Right where values stay small: subtract-a-prime has none past 11
 * below 10^9. */
#include "job.h"
#include "recursion.h"

typedef struct level {
    sg_job *job;
    uint64_t value;
    uint64_t found_pos; /* heap sizes with a value so far, all levels */
} level;

static sg_status emit_value(void *user, uint64_t first_pos, uint64_t count, const uint64_t *cold) {
    level *current = user;
    sg_values *values = &current->job->result->values;
    for (uint64_t w = 0; w < (count + 63) / 64; w++)
        for (uint64_t rest = cold[w]; rest; rest &= rest - 1) {
            sg_values_set(values, first_pos + 64 * w + (uint64_t)__builtin_ctzll(rest), current->value);
            current->found_pos++;
        }
    sg_monitor_advance(&current->job->monitor, (double)current->found_pos / (double)current->job->request->n,
                       current->found_pos);
    return SG_OK;
}

sg_status sg_nim_levels(sg_job *job) {
    sg_recursion recursion = {0};
    level current = {.job = job};
    sg_values *values = &job->result->values;
    sg_status status;
    SG_TRY(sg_recursion_open(&recursion, job->request, job->plan, &job->members, true, &job->memory, &job->monitor));
    for (; current.found_pos < job->request->n; current.value++) {
        if (current.value > sg_values_limit(values))
            SG_TRY(sg_values_widen(values, &job->memory));
        SG_TRY(sg_recursion_run(&recursion, emit_value, &current));
        SG_TRY(recursion.operators->absorb(recursion.field));
    }
    job->result->info.levels = current.value;
    sg_recursion_report(&recursion, &job->result->info);
cleanup:
    sg_recursion_close(&recursion);
    return status;
}
