/* The sequences that sets are made of: one sg_sequence each, stated as a formula where there is one.
 *
 * A formula gives term k in 128 bits and saturates past 2^64, so that the end of the range needs no case distinction: a
 * term that is not below the limit ends the enumeration, and membership is a bisection over k. */
#include "set_internal.h"
#include "splitmix.h"

#include <string.h>

#define SATURATED ((sg_u128)1 << 100)

typedef sg_u128 (*term_fn)(const sg_set *set, uint64_t k);

/* Inlined with a constant `term`, so that the formula is compiled into the loop. */
static inline __attribute__((always_inline)) sg_status next_terms(sg_set_cursor *cursor, sg_batch *batch,
                                                                  term_fn term) {
    const sg_set *set = cursor->set;
    uint64_t limit = cursor->limit, k = cursor->at + 1;
    size_t count = 0;
    for (; count < batch->capacity; k++) {
        sg_u128 value = term(set, k);
        if (value >= limit)
            break;
        batch->members[count++] = (uint64_t)value;
    }
    cursor->at = k - 1;
    batch->count = count;
    return SG_OK;
}

static bool is_term(const sg_set *set, uint64_t candidate, term_fn term) {
    uint64_t low = 1, high = UINT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (term(set, middle) < candidate)
            low = middle + 1;
        else
            high = middle;
    }
    return term(set, low) == candidate;
}

#define TERM_SEQUENCE(name)                                                                                            \
    static sg_status next_##name(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {                        \
        (void)context;                                                                                                 \
        return next_terms(cursor, batch, name##_term);                                                                 \
    }                                                                                                                  \
    static bool is_##name(const sg_set *set, uint64_t candidate) {                                                     \
        return is_term(set, candidate, name##_term);                                                                   \
    }                                                                                                                  \
    const sg_sequence sg_##name##_sequence = {NULL, next_##name, NULL, is_##name};

static sg_u128 power(uint64_t base, uint64_t exponent) {
    sg_u128 value = 1;
    if (base == 1)
        return 1;
    for (; exponent; exponent--) {
        value *= base;
        if (value > UINT64_MAX)
            return SATURATED;
    }
    return value;
}

static sg_u128 powers_term(const sg_set *set, uint64_t k) {
    return power(k, set->parameter);
}

static sg_u128 powers_of_term(const sg_set *set, uint64_t k) {
    return power(set->parameter, k - 1);
}

static sg_u128 triangular_term(const sg_set *set, uint64_t k) {
    (void)set;
    return (sg_u128)k * ((sg_u128)k + 1) / 2;
}

/* 1, 2, 3, 5, ...: at most 92 terms are below 2^64. */
static sg_u128 fibonacci_term(const sg_set *set, uint64_t k) {
    (void)set;
    sg_u128 value = 1, following = 2;
    for (; k > 1 && value <= UINT64_MAX; k--) {
        sg_u128 sum = value + following;
        value = following;
        following = sum;
    }
    return value <= UINT64_MAX ? value : SATURATED;
}

/* The sum of the powers of 4 that stand where k has its bits. */
static sg_u128 moser_term(const sg_set *set, uint64_t k) {
    (void)set;
    if (k >> 32)
        return SATURATED;
    k = (k | k << 16) & 0x0000FFFF0000FFFF;
    k = (k | k << 8) & 0x00FF00FF00FF00FF;
    k = (k | k << 4) & 0x0F0F0F0F0F0F0F0F;
    k = (k | k << 2) & 0x3333333333333333;
    return (k | k << 1) & 0x5555555555555555;
}

static sg_u128 beatty_term(const sg_set *set, uint64_t k) {
    return sg_alpha_multiple(&set->alpha, k);
}

TERM_SEQUENCE(powers)
TERM_SEQUENCE(powers_of)
TERM_SEQUENCE(triangular)
TERM_SEQUENCE(fibonacci)
TERM_SEQUENCE(moser)
TERM_SEQUENCE(beatty)

/* ---------------------------------------------------------------- lists */

static sg_status open_list(sg_context *context, sg_set_cursor *cursor) {
    (void)context;
    cursor->list_end = sg_number_list_below(&cursor->set->list, cursor->limit);
    return SG_OK;
}

static sg_status next_list(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    (void)context;
    size_t count = cursor->list_end - cursor->list_at;
    if (count > batch->capacity)
        count = batch->capacity;
    if (count)
        memcpy(batch->members, cursor->set->list.numbers + cursor->list_at, count * sizeof *batch->members);
    cursor->list_at += count;
    batch->count = count;
    return SG_OK;
}

static bool is_listed(const sg_set *set, uint64_t candidate) {
    return sg_number_list_contains(&set->list, candidate);
}

const sg_sequence sg_list_sequence = {open_list, next_list, NULL, is_listed};

/* In runs from one excluded number to the next. */
static sg_status next_all(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    (void)context;
    const uint64_t *excluded = cursor->set->list.numbers;
    uint64_t next = cursor->at + 1;
    size_t count = 0;
    while (count < batch->capacity && next < cursor->limit) {
        uint64_t stop = cursor->list_at < cursor->list_end ? excluded[cursor->list_at] : cursor->limit;
        size_t run = batch->capacity - count;
        if (run > stop - next)
            run = (size_t)(stop - next);
        for (size_t i = 0; i < run; i++)
            batch->members[count + i] = next + i;
        count += run;
        next += run;
        if (next == stop && stop < cursor->limit) {
            cursor->list_at++;
            next++;
        }
    }
    cursor->at = next - 1;
    batch->count = count;
    return SG_OK;
}

static bool is_not_listed(const sg_set *set, uint64_t candidate) {
    return candidate && !sg_number_list_contains(&set->list, candidate);
}

const sg_sequence sg_all_sequence = {open_list, next_all, NULL, is_not_listed};

/* ---------------------------------------------------------------- random */

static bool is_drawn(const sg_set *set, uint64_t candidate) {
    return candidate && sg_splitmix64(candidate + set->seed) >> 32 < set->threshold;
}

/* Stores every candidate and counts the hits: no branch to mispredict. */
static sg_status next_random(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    (void)context;
    uint64_t seed = cursor->set->seed, threshold = cursor->set->threshold, limit = cursor->limit;
    uint64_t k = cursor->at + 1;
    size_t count = 0;
    for (; k < limit && count < batch->capacity; k++) {
        batch->members[count] = k;
        count += sg_splitmix64(k + seed) >> 32 < threshold;
    }
    cursor->at = k - 1;
    batch->count = count;
    return SG_OK;
}

const sg_sequence sg_random_sequence = {NULL, next_random, NULL, is_drawn};

/* ---------------------------------------------------------------- sequences with a state of their own */

static sg_status open_primes(sg_context *context, sg_set_cursor *cursor) {
    return sg_primes_open(context, cursor->limit, &cursor->primes);
}

static sg_status next_primes(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    return sg_primes_next(context, cursor->primes, batch->members, batch->capacity, &batch->count);
}

static void close_primes(sg_set_cursor *cursor) {
    sg_primes_close(cursor->primes);
}

const sg_sequence sg_prime_sequence = {open_primes, next_primes, close_primes, NULL};

static sg_status open_polynomial(sg_context *context, sg_set_cursor *cursor) {
    (void)context;
    sg_polynomial_walk_start(&cursor->walk, cursor->set->polynomial);
    return SG_OK;
}

static sg_status next_polynomial(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    (void)context;
    batch->count = 0;
    while (batch->count < batch->capacity &&
           sg_polynomial_walk_next(&cursor->walk, cursor->limit, &batch->members[batch->count]))
        batch->count++;
    return SG_OK;
}

static bool is_polynomial_value(const sg_set *set, uint64_t candidate) {
    return sg_polynomial_has_value(set->polynomial, candidate);
}

const sg_sequence sg_polynomial_sequence = {open_polynomial, next_polynomial, NULL, is_polynomial_value};

/* The first member at or past the limit, or the callback's end, ends the enumeration; the callback is not asked again.
 */
static sg_status next_from_callback(sg_context *context, sg_set_cursor *cursor, sg_batch *batch) {
    const sg_set *set = cursor->set;
    batch->count = 0;
    while (batch->count < batch->capacity && cursor->previous < cursor->limit) {
        uint64_t member;
        if (!set->next_member(set->user, cursor->at, &member)) {
            cursor->previous = cursor->limit;
            break;
        }
        if (member <= cursor->previous) /* also refuses 0, as `previous` starts there */
            return sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                           "set '%s': the callback gave %llu at index %llu, which must be more than %llu", set->name,
                           (unsigned long long)member, (unsigned long long)cursor->at,
                           (unsigned long long)cursor->previous);
        cursor->previous = member;
        if (member < cursor->limit) {
            cursor->at++;
            batch->members[batch->count++] = member;
        }
    }
    return SG_OK;
}

const sg_sequence sg_callback_sequence = {NULL, next_from_callback, NULL, NULL};
