/* Nim-values by the plain recurrence g(p) = mex of g(p - s): the baseline that every other engine is measured and
 * checked against. */
#include "job.h"
#include "recurrence.h"

/* Entries of the stamp array at first; doubled whenever the largest value so far plus one needs more. */
enum { FIRST_STAMPS = 256 };

uint64_t sg_nim_dp_bytes(uint64_t value_limit) {
    uint64_t capacity = FIRST_STAMPS;
    while (capacity < value_limit + 2)
        capacity *= 2;
    /* While it is being replaced, the array of half the size is still there. */
    return capacity == FIRST_STAMPS ? 8 * capacity : 8 * (capacity + capacity / 2);
}

static double fraction_done(const sg_job *job, uint64_t p) {
    /* Work grows with the options of p; their number is nearly linear for dense sets and flatter for sparse ones. */
    double share = (double)p / (double)job->request->n;
    return share * share;
}

sg_status sg_nim_dp(sg_job *job) {
    sg_values *values = &job->result->values;
    uint64_t n = job->request->n, capacity = 0, largest = 0, *stamps = NULL;
    sg_status status = SG_OK;
    for (uint64_t p = 0; p < n; p++) {
        if (largest + 2 > capacity) {
            capacity = capacity ? 2 * capacity : FIRST_STAMPS;
            uint64_t *larger = sg_memory_grow(&job->memory, stamps, 8 * capacity);
            SG_TRY(larger ? SG_OK : job->memory.status);
            stamps = larger;
        }
        uint64_t value = sg_mex(values, &job->members, p, stamps);
        if (value > sg_values_limit(values))
            SG_TRY(sg_values_widen(values, &job->memory));
        sg_values_set(values, p, value);
        if (value > largest)
            largest = value;
        if (p % 64 == 0) {
            sg_monitor_advance(&job->monitor, fraction_done(job, p), p);
            SG_TRY(sg_monitor_tick(&job->monitor) ? SG_OK : sg_monitor_stop(job->request->context));
        }
    }
cleanup:
    sg_memory_give(&job->memory, stamps);
    return status;
}
