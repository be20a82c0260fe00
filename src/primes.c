/* Segmented sieve of Eratosthenes over odd numbers, one bit each.
 *
 * A segment stays in cache while all base primes cross off their multiples in it. The multiples of the smallest primes,
 * which would be half of the work, come from a precomputed pattern. Base primes p are taken from a second, smaller
 * sieve only when the segments reach p^2, so reading a few primes under a huge limit costs little, and memory is
 * O(sqrt(largest prime read)).
 *
 * Invariant: base[].next is the bit, relative to the coming segment, of the next odd multiple; it is less than the
 * prime. All positions are 64-bit and the end of a segment is compared in 128 bits, so limits up to 2^64 - 1 are safe.
 */
#include "primes.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* The segment must fit the first-level cache (32 KiB), but grows as the square root of the limit, up to a share of the
 * second-level cache (512 KiB): with fewer bits than base primes, most visits of a base prime would cross off nothing.
 */
enum { SEGMENT_BITS_MIN = 1 << 18, SEGMENT_BITS_MAX = 1 << 22 };

/* 3 * 5 * 7 * 11 * 13: the pattern's period in bits, and, since it is odd, also in bytes. */
enum { PATTERN_BYTES = 15015, PATTERN_LAST_PRIME = 13 };

/* Below the square of 17 the pattern is the whole sieve. */
enum { PATTERN_SUFFICES_BELOW = 17 * 17 };

/* Bits of 3, 5, 7, 11, 13 in the first segment, which the pattern removes with their multiples. */
enum { PATTERN_PRIMES_FIRST_BYTE = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 };

typedef struct base_prime {
    uint32_t prime;
    uint32_t next;
} base_prime;

struct sg_primes {
    uint64_t limit;
    uint64_t low; /* the odd number that bit 0 of the segment stands for */
    uint8_t *segment;
    uint64_t segment_bits; /* a multiple of 64 */
    uint64_t words;        /* 64-bit words of the segment below the limit */
    uint64_t next_word;
    uint64_t word; /* bits of word next_word - 1 that are not given out */
    bool started, two_given;
    uint8_t *pattern;
    base_prime *base;
    size_t base_count, base_capacity;
    sg_primes *source;     /* of base primes, NULL until the first is needed */
    uint64_t source_prime; /* read from the source, not yet in base; 0: the source is exhausted */
};

static bool divisible_by_pattern_prime(uint64_t x) {
    return x % 3 == 0 || x % 5 == 0 || x % 7 == 0 || x % 11 == 0 || x % 13 == 0;
}

static void fill_pattern(uint8_t *pattern) {
    memset(pattern, 0, PATTERN_BYTES);
    for (uint64_t bit = 0; bit < 8 * PATTERN_BYTES; bit++)
        if (!divisible_by_pattern_prime(2 * bit + 1))
            pattern[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static uint64_t segment_bits_for(uint64_t limit) {
    uint64_t bits = sg_isqrt(limit);
    if (bits < SEGMENT_BITS_MIN)
        bits = SEGMENT_BITS_MIN;
    if (bits > SEGMENT_BITS_MAX)
        bits = SEGMENT_BITS_MAX;
    if (bits > limit / 2 + 1)
        bits = limit / 2 + 1;
    return (bits + 63) / 64 * 64;
}

sg_status sg_primes_open(sg_context *context, uint64_t limit, sg_primes **primes) {
    sg_primes *opened = calloc(1, sizeof *opened);
    if (opened) {
        opened->limit = limit;
        opened->low = 1;
        opened->segment_bits = segment_bits_for(limit);
        opened->segment = malloc(opened->segment_bits / 8);
        opened->pattern = malloc(PATTERN_BYTES);
    }
    if (!opened || !opened->segment || !opened->pattern) {
        sg_primes_close(opened);
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for the prime sieve");
    }
    fill_pattern(opened->pattern);
    *primes = opened;
    return SG_OK;
}

static sg_status read_source(sg_context *context, sg_primes *primes) {
    size_t count;
    sg_status status = sg_primes_next(context, primes->source, &primes->source_prime, 1, &count);
    if (status == SG_OK && count == 0)
        primes->source_prime = 0;
    return status;
}

static sg_status open_source(sg_context *context, sg_primes *primes) {
    sg_status status = sg_primes_open(context, sg_isqrt(primes->limit - 1) + 1, &primes->source);
    do {
        if (status == SG_OK)
            status = read_source(context, primes);
    } while (status == SG_OK && primes->source_prime && primes->source_prime <= PATTERN_LAST_PRIME);
    return status;
}

static sg_status add_base(sg_context *context, sg_primes *primes, uint64_t prime) {
    if (primes->base_count == primes->base_capacity) {
        size_t capacity = primes->base_capacity ? primes->base_capacity * 2 : 64;
        base_prime *base = realloc(primes->base, capacity * sizeof *base);
        if (!base)
            return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for %zu base primes", capacity);
        primes->base = base;
        primes->base_capacity = capacity;
    }
    primes->base[primes->base_count++] = (base_prime){(uint32_t)prime, (uint32_t)((prime * prime - primes->low) / 2)};
    return SG_OK;
}

/* Takes every base prime whose square lies in the segment or before it. */
static sg_status extend_base(sg_context *context, sg_primes *primes) {
    sg_status status = SG_OK;
    sg_u128 end = (sg_u128)primes->low + 2 * primes->segment_bits;
    if (primes->limit <= PATTERN_SUFFICES_BELOW)
        return SG_OK;
    if (!primes->source)
        status = open_source(context, primes);
    while (status == SG_OK && primes->source_prime && (sg_u128)primes->source_prime * primes->source_prime < end) {
        status = add_base(context, primes, primes->source_prime);
        if (status == SG_OK)
            status = read_source(context, primes);
    }
    return status;
}

static void copy_pattern(sg_primes *primes) {
    size_t bytes = primes->segment_bits / 8;
    size_t phase = (size_t)(primes->low / 16 % PATTERN_BYTES);
    for (size_t at = 0; at < bytes; phase = 0) {
        size_t run = PATTERN_BYTES - phase;
        if (run > bytes - at)
            run = bytes - at;
        memcpy(primes->segment + at, primes->pattern + phase, run);
        at += run;
    }
}

/* A prime much smaller than the segment goes over it in eight passes: multiples 8 apart share their bit within the
 * byte, so the mask is constant in each pass. */
static void cross_off(uint8_t *segment, uint64_t bits, base_prime *base) {
    uint64_t prime = base->prime;
    uint64_t bit = base->next;
    if (prime < bits / 64) {
        uint64_t bytes = bits / 8;
        for (int pass = 0; pass < 8; pass++, bit += prime) {
            uint8_t mask = (uint8_t) ~(1u << bit % 8);
            for (uint64_t at = bit / 8; at < bytes; at += prime)
                segment[at] &= mask;
        }
        bit = base->next + (bits - base->next + prime - 1) / prime * prime;
    } else {
        for (; bit < bits; bit += prime)
            segment[bit / 8] &= (uint8_t) ~(1u << bit % 8);
    }
    base->next = (uint32_t)(bit - bits);
}

/* Bit 0 first, whatever the byte order of the machine. */
static uint64_t load_word(const uint8_t *bytes) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static sg_status sieve_segment(sg_context *context, sg_primes *primes) {
    sg_status status = extend_base(context, primes);
    if (status != SG_OK)
        return status;
    copy_pattern(primes);
    if (primes->low == 1)
        primes->segment[0] = (uint8_t)((primes->segment[0] & ~1u) | PATTERN_PRIMES_FIRST_BYTE);
    for (size_t i = 0; i < primes->base_count; i++)
        cross_off(primes->segment, primes->segment_bits, &primes->base[i]);
    uint64_t used = (primes->limit - primes->low + 1) / 2; /* odd numbers from low up to the limit */
    if (used < primes->segment_bits) {
        for (uint64_t bit = used; bit < primes->segment_bits && bit % 64; bit++)
            primes->segment[bit / 8] &= (uint8_t) ~(1u << bit % 8);
    } else {
        used = primes->segment_bits;
    }
    primes->words = (used + 63) / 64;
    primes->next_word = 0;
    primes->word = 0;
    return SG_OK;
}

/* Moves on to the next segment; false when there is none. */
static bool advance(sg_primes *primes) {
    if (primes->limit <= primes->low)
        return false;
    if (!primes->started)
        return primes->started = true;
    if (primes->limit - primes->low <= 2 * primes->segment_bits)
        return false;
    primes->low += 2 * primes->segment_bits;
    return true;
}

static size_t give_out(sg_primes *primes, uint64_t *members, size_t capacity) {
    size_t count = 0;
    uint64_t word = primes->word;
    for (;;) {
        uint64_t base = primes->low + 128 * (primes->next_word - 1);
        while (word && count < capacity) {
            members[count++] = base + 2 * (uint64_t)__builtin_ctzll(word);
            word &= word - 1;
        }
        if (word || primes->next_word == primes->words)
            break;
        word = load_word(primes->segment + 8 * primes->next_word++);
    }
    primes->word = word;
    return count;
}

sg_status sg_primes_next(sg_context *context, sg_primes *primes, uint64_t *members, size_t capacity, size_t *count) {
    size_t given = 0;
    if (!primes->two_given && primes->limit > 2 && capacity) {
        members[given++] = 2;
        primes->two_given = true;
    }
    while (given < capacity) {
        if (!primes->word && primes->next_word == primes->words) {
            if (!advance(primes))
                break;
            sg_status status = sieve_segment(context, primes);
            if (status != SG_OK)
                return status;
        }
        given += give_out(primes, members + given, capacity - given);
    }
    *count = given;
    return SG_OK;
}

void sg_primes_close(sg_primes *primes) {
    if (!primes)
        return;
    sg_primes_close(primes->source);
    free(primes->segment);
    free(primes->pattern);
    free(primes->base);
    free(primes);
}
