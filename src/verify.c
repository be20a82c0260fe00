/* Verification by the definition of the game. It shares the enumeration of S with the engines and nothing else: each
 * sampled heap size has all its options looked up in the result, and outcome, mex or remoteness is formed anew. */
#include "decree.h"
#include "members.h"
#include "number.h"
#include "result.h"
#include "splitmix.h"
#include "threads.h"

#include <omp.h>
#include <string.h>

typedef struct verifier {
    const sg_result *result;
    sg_values values; /* the result's, or a copy in the host's memory */
    void *copy;
    sg_members members;
    sg_memory memory;
    sg_monitor monitor;
    uint64_t samples;
    uint64_t seed;
    uint64_t *decreed; /* bit i: the i-th sample is hot by decree */
    uint64_t *seen;    /* for each thread, seen_words words */
    uint64_t seen_words;
} verifier;

/* The i-th sample: one heap size from each of `samples` equal parts of 0 .. n-1, so none comes twice and samples = n
 * gives all. */
static uint64_t sample_at(const verifier *verify, uint64_t i) {
    sg_u128 n = verify->result->info.n;
    uint64_t first = (uint64_t)(n * i / verify->samples), end = (uint64_t)(n * (i + 1) / verify->samples);
    return first + sg_splitmix64(verify->seed + i) % (end - first);
}

static bool is_cold(const sg_result *result, uint64_t p) {
    return result->cold_bits[p / 64] >> p % 64 & 1;
}

static uint64_t reversed(uint64_t word) {
    word = (word & 0x5555555555555555) << 1 | (word >> 1 & 0x5555555555555555);
    word = (word & 0x3333333333333333) << 2 | (word >> 2 & 0x3333333333333333);
    word = (word & 0x0f0f0f0f0f0f0f0f) << 4 | (word >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(word);
}

/* Whether some member that is held as bits leads from p to a cold heap size: 64 options at a time, since a member s is
 * bit s of S and leads to bit p - s of the cold ones. */
static bool reaches_cold_by_bits(const uint64_t *members, const uint64_t *cold, uint64_t p) {
    for (uint64_t w = 0; w <= p / 64; w++) {
        uint64_t last = p - 64 * w, first = last - 63, options;
        if (last < 63)
            options = cold[0] << (63 - last);
        else
            options = cold[first / 64] >> first % 64 | cold[first / 64 + 1] << 1 << (63 - first % 64);
        if (members[w] & reversed(options))
            return true;
    }
    return false;
}

/* Hot by decree, or by an option that is cold. Says also what the game's length would be. */
static bool outcome_holds(const verifier *verify, uint64_t p, bool decreed) {
    const sg_result *result = verify->result;
    bool lengths = result->info.mode == SG_MODE_REMOTENESS, reaches_cold = false;
    uint64_t s, least_cold = UINT64_MAX, largest = 0, options = 0;
    if (verify->members.bits && !lengths)
        return is_cold(result, p) != (decreed || reaches_cold_by_bits(verify->members.bits, result->cold_bits, p));
    for (sg_member_walk walk = sg_members_walk(&verify->members); sg_member_next(&walk, &s) && s <= p; options++) {
        bool cold = is_cold(result, p - s);
        reaches_cold |= cold;
        if (reaches_cold && !lengths)
            break;
        uint64_t length = lengths ? sg_values_get(&result->values, p - s) : 0;
        if (cold && length < least_cold)
            least_cold = length;
        if (length > largest)
            largest = length;
    }
    if (is_cold(result, p) == (decreed || reaches_cold))
        return false;
    if (!lengths)
        return true;
    uint64_t length = reaches_cold ? least_cold + 1 : options ? largest + 1 : 0;
    return sg_values_get(&result->values, p) == (decreed ? 0 : length);
}

/* Every smaller value is an option's, and the value itself is not. Values are asked for many at a time, since they may
 * lie on a device. */
static sg_status check_nim_value(const verifier *verify, uint64_t p, uint64_t *seen, bool *holds) {
    enum { BATCH = 2048 };
    const sg_values *values = &verify->values;
    sg_member_walk walk = sg_members_walk(&verify->members);
    uint32_t value, options[BATCH];
    uint64_t s, count, missing, heaps[BATCH];
    sg_status status;
    SG_TRY(sg_values_pick(values, &p, 1, &value));
    missing = value;
    *holds = false;
    if (value > verify->result->info.max_value)
        return SG_OK; /* the result contradicts itself */
    memset(seen, 0, 8 * ((uint64_t)value / 64 + 1));
    do {
        for (count = 0; count < BATCH && sg_member_next(&walk, &s) && s <= p; count++)
            heaps[count] = p - s;
        SG_TRY(sg_values_pick(values, heaps, count, options));
        for (uint64_t i = 0; i < count; i++) {
            if (options[i] == value)
                return SG_OK;
            if (options[i] < value && !(seen[options[i] / 64] >> options[i] % 64 & 1)) {
                seen[options[i] / 64] |= (uint64_t)1 << options[i] % 64;
                missing--;
            }
        }
    } while (count == BATCH);
    *holds = missing == 0;
cleanup:
    return status;
}

static sg_status mark_decreed(verifier *verify, const sg_game *game) {
    enum { SEGMENT_POS = 1 << 16 };
    uint64_t n = verify->result->info.n, next = 0, hot[SEGMENT_POS / 64];
    sg_context *context = verify->memory.context;
    sg_decree decree = {0};
    sg_status status;
    SG_TAKE(&verify->memory, verify->decreed, 8 * (verify->samples / 64 + 1));
    if (!sg_game_decrees(game))
        return SG_OK;
    SG_TRY(sg_decree_open(&decree, context, game, n, verify->members.smallest));
    for (uint64_t first = 0; first < n; first += SEGMENT_POS) {
        uint64_t count = n - first < SEGMENT_POS ? n - first : SEGMENT_POS;
        memset(hot, 0, sizeof hot);
        SG_TRY(sg_decree_mark(&decree, first, count, hot));
        for (; next < verify->samples && sample_at(verify, next) < first + count; next++) {
            uint64_t i = sample_at(verify, next) - first;
            verify->decreed[next / 64] |= (hot[i / 64] >> i % 64 & 1) << next % 64;
        }
    }
cleanup:
    sg_decree_close(&decree);
    return status;
}

static sg_status check_sample(const verifier *verify, uint64_t i, uint64_t p, bool *holds) {
    if (verify->result->info.mode == SG_MODE_NIM)
        return check_nim_value(verify, p, verify->seen + verify->seen_words * (uint64_t)omp_get_thread_num(), holds);
    *holds = outcome_holds(verify, p, verify->decreed[i / 64] >> i % 64 & 1);
    return SG_OK;
}

/* Brings all values from a device when the samples are many, since each one asks for its options by itself, and when
 * the host has the memory. */
static sg_status bring_values(verifier *verify) {
    enum { FEW_SAMPLES = 4096 };
    const sg_values *values = &verify->result->values;
    verify->values = *values;
    if (!values->store || verify->samples <= FEW_SAMPLES ||
        values->count * values->bytes > sg_memory_available_bytes() / 2)
        return SG_OK;
    sg_status status = SG_OK;
    SG_TAKE(&verify->memory, verify->copy, values->count * values->bytes);
    SG_TRY(values->store->operators->copy(verify->memory.context, values->store, 0, values->count, verify->copy));
    verify->values.store = NULL;
    verify->values.data = verify->copy;
cleanup:
    return status;
}

static sg_status check_samples(verifier *verify, uint32_t threads, sg_verify_report *report) {
    uint64_t failures = 0, first_failure = UINT64_MAX;
    int worst = SG_OK; /* of all threads; in each it begins below any status */
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) reduction(+ : failures)                             \
    reduction(min : first_failure) reduction(max : worst)
    for (uint64_t i = 0; i < verify->samples; i++) {
        if (omp_get_thread_num() == 0) {
            double share = (double)i / (double)verify->samples;
            sg_monitor_advance(&verify->monitor, share, i);
            sg_monitor_tick(&verify->monitor);
        }
        if (sg_monitor_cancelled(&verify->monitor) || worst > SG_OK)
            continue;
        uint64_t p = sample_at(verify, i);
        bool holds = true;
        sg_status status = check_sample(verify, i, p, &holds);
        worst = (int)status > worst ? (int)status : worst;
        failures += !holds;
        if (!holds && p < first_failure)
            first_failure = p;
    }
    report->failures = failures;
    report->first_failure = first_failure;
    if (worst != SG_OK)
        return sg_fail(verify->memory.context, (sg_status)worst, "the values could not be read back from the device");
    return SG_OK;
}

sg_status sg_verify(sg_context *context, const sg_game *game, const sg_result *result, uint64_t samples, uint64_t seed,
                    const sg_solve_options *options, sg_verify_report *report) {
    if (!game || !result || !report || report->struct_size < sizeof(size_t))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                       "sg_verify needs a game, a result and a report with its size");
    uint64_t n = result->info.n, count;
    double begin = sg_seconds_now();
    verifier verify = {.result = result, .samples = samples < n ? samples : n, .seed = seed};
    sg_verify_report found = {.samples = verify.samples, .first_failure = UINT64_MAX};
    uint32_t threads;
    sg_status status;
    SG_TRY(sg_threads_resolve(context, options, &threads));
    sg_memory_init(&verify.memory, context, 0);
    sg_monitor_init(&verify.monitor, options, verify.samples);
    sg_monitor_phase(&verify.monitor, "verify");
    if (verify.samples) {
        SG_TRY(sg_members_count(context, game->subtraction, n, &count));
        SG_TRY(sg_members_load(&verify.members, game->subtraction, n, count, &verify.memory, &verify.monitor));
        SG_TRY(mark_decreed(&verify, game));
        SG_TRY(bring_values(&verify));
        verify.seen_words = result->info.max_value / 64 + 1;
        SG_TAKE(&verify.memory, verify.seen, 8 * verify.seen_words * threads);
        SG_TRY(check_samples(&verify, threads, &found));
        if (sg_monitor_cancelled(&verify.monitor))
            SG_TRY(sg_monitor_stop(context));
    }
    found.seconds = sg_seconds_now() - begin;
    sg_struct_give(report, &found, sizeof found);
cleanup:
    sg_members_free(&verify.members, &verify.memory);
    sg_memory_give(&verify.memory, verify.decreed);
    sg_memory_give(&verify.memory, verify.seen);
    sg_memory_give(&verify.memory, verify.copy);
    return status;
}
