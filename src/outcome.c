/* Cold positions by the plain recurrence, by the paper's sieve, and by the recursion. */
#include "bits.h"
#include "decree.h"
#include "job.h"
#include "recursion.h"
#include "tuning.h"

#include <string.h>

static uint64_t segment_pos(uint64_t n) {
    return n < SG_SIEVE_SEGMENT_POS ? n : SG_SIEVE_SEGMENT_POS;
}

uint64_t sg_outcome_segment_bytes(uint64_t n) {
    return segment_pos(n) / 64 * 8 + 8;
}

static bool is_cold(const uint64_t *cold, uint64_t p) {
    return cold[p / 64] >> p % 64 & 1;
}

/* hot(p) = p in H or some s in S with p - s cold: section 2 of the paper, as written. */
static bool reaches_cold(const sg_members *members, const uint64_t *cold, uint64_t p) {
    uint64_t s;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s <= p;)
        if (is_cold(cold, p - s))
            return true;
    return false;
}

/* Calls visit for consecutive segments of heap sizes with the decreed marks in place. */
typedef sg_status (*segment_fn)(sg_job *job, void *argument, uint64_t first, uint64_t count, uint64_t *hot);

static sg_status by_segments(sg_job *job, segment_fn visit, void *argument) {
    uint64_t n = job->request->n, *hot = NULL;
    sg_decree decree = {0};
    sg_status status;
    SG_TAKE(&job->memory, hot, sg_outcome_segment_bytes(n));
    SG_TRY(sg_decree_open(&decree, job->request->context, job->request->game, n, job->members.smallest));
    for (uint64_t first = 0; first < n; first += SG_SIEVE_SEGMENT_POS) {
        uint64_t count = n - first < SG_SIEVE_SEGMENT_POS ? n - first : SG_SIEVE_SEGMENT_POS;
        memset(hot, 0, sg_outcome_segment_bytes(n));
        SG_TRY(sg_decree_mark(&decree, first, count, hot));
        SG_TRY(visit(job, argument, first, count, hot));
    }
cleanup:
    sg_decree_close(&decree);
    sg_memory_give(&job->memory, hot);
    return status;
}

/* Heap sizes between looks at the clock. */
enum { TICK_POS = 256 };

static sg_status advance(sg_job *job, uint64_t done_pos) {
    sg_monitor_advance(&job->monitor, (double)done_pos / (double)job->request->n, done_pos);
    return sg_monitor_tick(&job->monitor) ? SG_OK : sg_monitor_stop(job->request->context);
}

static sg_status dp_segment(sg_job *job, void *unused, uint64_t first, uint64_t count, uint64_t *hot) {
    uint64_t *cold = job->result->cold_bits;
    (void)unused;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t p = first + i;
        if (!(hot[i / 64] >> i % 64 & 1) && !reaches_cold(&job->members, cold, p))
            cold[p / 64] |= (uint64_t)1 << p % 64;
        if (i % TICK_POS == 0) {
            sg_status status = advance(job, p);
            if (status != SG_OK)
                return status;
        }
    }
    return SG_OK;
}

sg_status sg_outcome_dp(sg_job *job) {
    return by_segments(job, dp_segment, NULL);
}

/* Marks the heap sizes of the segment that are reached from cold position c, which lies before its end. */
static void mark_from(const sg_members *members, uint64_t c, uint64_t first, uint64_t count, uint64_t *hot) {
    uint64_t s, least = c < first ? first - c : 1;
    sg_member_walk walk = sg_members_walk_from(members, least);
    while (sg_member_next(&walk, &s) && s < first + count - c) {
        uint64_t i = c + s - first;
        hot[i / 64] |= (uint64_t)1 << i % 64;
    }
}

/* The sieve of the paper's section 4, a segment at a time so that marks stay in cache: earlier cold positions first,
 * then those of the segment itself in rising order. */
static sg_status sieve_segment(sg_job *job, void *unused, uint64_t first, uint64_t count, uint64_t *hot) {
    const sg_members *members = &job->members;
    uint64_t *cold = job->result->cold_bits;
    sg_status status = SG_OK;
    (void)unused;
    for (uint64_t w = 0; w < first / 64; w++) {
        for (uint64_t rest = cold[w]; rest; rest &= rest - 1)
            mark_from(members, 64 * w + (uint64_t)__builtin_ctzll(rest), first, count, hot);
        if (w % TICK_POS == 0)
            SG_TRY(advance(job, first));
    }
    for (uint64_t i = 0; i < count; i++)
        if (!(hot[i / 64] >> i % 64 & 1)) {
            uint64_t p = first + i;
            cold[p / 64] |= (uint64_t)1 << p % 64;
            mark_from(members, p, first, count, hot);
            SG_TRY(advance(job, p));
        }
cleanup:
    return status;
}

sg_status sg_outcome_sieve(sg_job *job) {
    return by_segments(job, sieve_segment, NULL);
}

static sg_status preset_segment(sg_job *job, void *argument, uint64_t first, uint64_t count, uint64_t *hot) {
    sg_recursion *recursion = argument;
    (void)job;
    return recursion->operators->preset(recursion->field, first, count, hot);
}

/* Base cases come in rising order and may begin at any bit. */
static sg_status emit_cold(void *user, uint64_t level, uint64_t first_pos, uint64_t count, const uint64_t *cold) {
    sg_job *job = user;
    (void)level; /* there is one */
    sg_bits_or(job->result->cold_bits, first_pos, count, cold);
    sg_monitor_advance(&job->monitor, (double)(first_pos + count) / (double)job->request->n, first_pos + count);
    return SG_OK;
}

sg_status sg_outcome_recursion(sg_job *job) {
    sg_recursion recursion = {0};
    sg_status status;
    bool decrees = sg_game_decrees(job->request->game);
    SG_TRY(sg_recursion_open(&recursion, job->request, job->plan, &job->members, decrees, &job->memory, &job->monitor));
    if (decrees)
        SG_TRY(by_segments(job, preset_segment, &recursion));
    SG_TRY(sg_recursion_run(&recursion, emit_cold, job));
    SG_TRY(sg_recursion_report(&recursion, job->result));
cleanup:
    return sg_first_failure(status, sg_recursion_close(&recursion));
}
