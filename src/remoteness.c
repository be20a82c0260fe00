/* Remoteness: how long a game lasts when the winner hurries and the loser delays (OEIS A338027 for subtract-a-square).
 *
 * A heap size that is decided without a move (no move left, or a hotspot) has remoteness 0. The winner, at a hot heap
 * size, moves to the cold option of least remoteness; the loser, at a cold one, to the option of greatest. Cold heap
 * sizes are rare in most games, so hot ones are not asked for their options: each cold heap size, once known, offers
 * its length plus one to all it is reached from. This costs cold heap sizes times members, twice, instead of all heap
 * sizes times members. */
#include "decree.h"
#include "job.h"
#include "recurrence.h"

enum { SEGMENT_POS = 4096 };

typedef struct remoteness_solver {
    sg_job *job;
    sg_values *values; /* of solved heap sizes; beyond, the least length offered so far, or 0 */
} remoteness_solver;

static sg_status set_length(remoteness_solver *solver, uint64_t p, uint64_t length) {
    while (length + 1 > sg_values_limit(solver->values)) { /* the offer is one more */
        sg_status status = sg_values_widen(solver->values, &solver->job->memory);
        if (status != SG_OK)
            return status;
    }
    sg_values_set(solver->values, p, length);
    return SG_OK;
}

static sg_status solve_heap(remoteness_solver *solver, uint64_t p, bool is_decreed) {
    const sg_members *members = &solver->job->members;
    uint64_t *cold = solver->job->result->cold_bits;
    if (is_decreed)
        return set_length(solver, p, 0);
    if (sg_values_get(solver->values, p))
        return SG_OK; /* hot: the least offer is its remoteness */
    cold[p / 64] |= (uint64_t)1 << p % 64;
    bool has_move = members->smallest && members->smallest <= p;
    uint64_t length = has_move ? sg_largest_option(solver->values, members, p) + 1 : 0;
    sg_status status = set_length(solver, p, length);
    if (status == SG_OK)
        sg_offer_length(solver->values, members, p, length + 1);
    return status;
}

sg_status sg_remoteness_dp(sg_job *job) {
    remoteness_solver solver = {job, &job->result->values};
    uint64_t n = job->request->n;
    sg_decree decree = {0};
    sg_status status;
    SG_TRY(sg_decree_open(&decree, job->request->context, job->request->game, n, job->members.smallest));
    for (uint64_t first = 0; first < n; first += SEGMENT_POS) {
        uint64_t count = n - first < SEGMENT_POS ? n - first : SEGMENT_POS, hot[SEGMENT_POS / 64] = {0};
        SG_TRY(sg_decree_mark(&decree, first, count, hot));
        for (uint64_t i = 0; i < count; i++) {
            SG_TRY(solve_heap(&solver, first + i, hot[i / 64] >> i % 64 & 1));
            sg_monitor_advance(&job->monitor, (double)(first + i) / (double)n, first + i);
            if (!sg_monitor_tick(&job->monitor))
                SG_TRY(sg_monitor_stop(job->request->context));
        }
    }
cleanup:
    sg_decree_close(&decree);
    return status;
}
