/* Enumeration of sets: every kind against its definition, in batches of any size, and at the edges of 64 bits. */
#include "number.h"
#include "set.h"
#include "sgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAIVE_LIMIT = 6000 };

/* Test names start with the index, since different texts may give the same letters. */
static const char *numbered(size_t index, const char *text) {
    static char name[160];
    snprintf(name, sizeof name, "%zu %s", index, text);
    return name;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static sg_set *parse(const char *spec) {
    sg_context *context = NULL;
    sg_set *set = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    sg_set_parse(context, spec, SG_ZERO_REFUSED, "subtraction set", &set);
    EXPECT_STREQ(sg_last_error(context), "");
    ASSERT_TRUE(set);
    sg_context_destroy(context);
    return set;
}

/* Reads the whole set below `limit` in batches; at most `room` members are expected. */
static size_t collect(const sg_set *set, uint64_t limit, size_t capacity, uint64_t *members, size_t room) {
    uint64_t *batch = malloc(capacity * sizeof *batch); /* exactly the capacity, for the address sanitizer */
    sg_set_cursor *cursor = NULL;
    size_t total = 0, count = 0;
    ASSERT_TRUE(batch);
    ASSERT_EQ(sg_set_cursor_open(NULL, set, limit, &cursor), SG_OK);
    do {
        ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, capacity, &count), SG_OK);
        ASSERT_LE(count, capacity);
        ASSERT_LE(total + count, room);
        memcpy(members + total, batch, count * sizeof *batch);
        total += count;
    } while (count);
    ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, capacity, &count), SG_OK);
    ASSERT_EQ(count, 0u);
    sg_set_cursor_close(cursor);
    free(batch);
    return total;
}

static uint64_t count_below(const sg_set *set, uint64_t limit) {
    enum { BATCH = 4096 };
    static uint64_t batch[BATCH];
    sg_set_cursor *cursor = NULL;
    uint64_t total = 0, previous = 0;
    size_t count = 0;
    bool increasing = true;
    ASSERT_EQ(sg_set_cursor_open(NULL, set, limit, &cursor), SG_OK);
    do {
        ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, BATCH, &count), SG_OK);
        for (size_t i = 0; i < count; i++) {
            increasing = increasing && previous < batch[i];
            previous = batch[i];
        }
        total += count;
    } while (count);
    ASSERT_TRUE(increasing);
    ASSERT_TRUE(total == 0 || previous < limit);
    sg_set_cursor_close(cursor);
    return total;
}

static bool contains(const sg_set *set, uint64_t candidate) {
    bool is_member = false;
    ASSERT_EQ(sg_set_contains(NULL, set, candidate, &is_member), SG_OK);
    return is_member;
}

/* ---------------------------------------------------------------- definitions, by trial */

typedef bool (*predicate)(uint64_t x);

static bool is_power(uint64_t x, int exponent) {
    for (uint64_t k = 1; k <= x; k++) {
        uint64_t value = 1;
        for (int i = 0; i < exponent && value <= x; i++)
            value *= k;
        if (value >= x)
            return value == x;
    }
    return false;
}

static bool is_power_of(uint64_t x, uint64_t base) {
    while (x % base == 0 && x)
        x /= base;
    return x == 1;
}

static bool square(uint64_t x) {
    return is_power(x, 2);
}
static bool cube(uint64_t x) {
    return is_power(x, 3);
}
static bool fifth_power(uint64_t x) {
    return is_power(x, 5);
}
static bool one(uint64_t x) {
    return x == 1;
}
static bool power_of_2(uint64_t x) {
    return is_power_of(x, 2);
}
static bool power_of_10(uint64_t x) {
    return is_power_of(x, 10);
}

static bool triangular(uint64_t x) {
    uint64_t sum = 0;
    for (uint64_t k = 1; sum < x; k++)
        sum += k;
    return x && sum == x;
}

static bool fibonacci(uint64_t x) {
    uint64_t a = 1, b = 1;
    while (b < x) {
        uint64_t sum = a + b;
        a = b;
        b = sum;
    }
    return b == x;
}

static bool prime(uint64_t x) {
    for (uint64_t d = 2; d * d <= x; d++)
        if (x % d == 0)
            return false;
    return x >= 2;
}

static bool moser(uint64_t x) {
    for (uint64_t rest = x; rest; rest /= 4)
        if (rest % 4 > 1)
            return false;
    return x;
}

static bool positive(uint64_t x) {
    return x;
}
static bool listed(uint64_t x) {
    return x == 2 || x == 4 || x == 7 || x == 1024;
}
static bool not_listed(uint64_t x) {
    return x && !(x == 1 || x == 2 || x == 5 || x == 6 || x == 64 || x == 5999);
}
static bool additive(uint64_t x) {
    return x == 5 || x == 12 || x == 17;
}

/* floor(k*p/q) = x for some k. */
static bool rational_beatty(uint64_t x, uint64_t p, uint64_t q) {
    uint64_t k = (x * q + p - 1) / p;
    return x && k * p / q == x;
}
static bool beatty_8_3(uint64_t x) {
    return rational_beatty(x, 8, 3);
}
static bool beatty_2_25(uint64_t x) {
    return rational_beatty(x, 225, 100);
}
static bool beatty_1_000001(uint64_t x) {
    return rational_beatty(x, 1000001, 1000000);
}
static bool multiple_of_7(uint64_t x) {
    return x && x % 7 == 0;
}

/* x = floor(k*phi) or floor(k*sqrt2), from (2x - k)^2 <= 5k^2 < (2x + 2 - k)^2 and x^2 <= 2k^2 < (x + 1)^2. */
static bool beatty_phi(uint64_t x) {
    for (uint64_t k = x / 2; k && k <= x; k++)
        if ((2 * x - k) * (2 * x - k) <= 5 * k * k && 5 * k * k < (2 * x + 2 - k) * (2 * x + 2 - k))
            return true;
    return x == 1;
}
static bool beatty_sqrt2(uint64_t x) {
    for (uint64_t k = x / 2; k <= x; k++)
        if (k && x * x <= 2 * k * k && 2 * k * k < (x + 1) * (x + 1))
            return true;
    return false;
}
static bool beatty_e(uint64_t x) {
    uint64_t k = (uint64_t)((double)x / 2.718281828459045) + 1;
    return x && (uint64_t)((double)k * 2.718281828459045) == x;
}

/* The published generator, written out: https://prng.di.unimi.it/splitmix64.c */
static uint64_t splitmix64(uint64_t state) {
    uint64_t z = state + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static bool random_7_quarter(uint64_t x) {
    return x && splitmix64(x + 7) >> 32 < (uint64_t)1 << 30;
}
static bool random_wrapping_third(uint64_t x) {
    return x && splitmix64(x + UINT64_MAX - 5) >> 32 < 1431655765; /* floor(2^32 / 3) */
}
static bool pronic(uint64_t x) {
    return x >= 2 && x % 2 == 0 && triangular(x / 2);
}

typedef struct kind {
    const char *spec;
    predicate is_member;
} kind;

static const kind kinds[] = {
    {"squares", square},
    {"cubes", cube},
    {"powers:1", positive},
    {"powers:2", square},
    {"powers:5", fifth_power},
    {"powers:64", one},
    {"powers:2^64-1", one},
    {"powers-of:2", power_of_2},
    {"powers-of:10", power_of_10},
    {"powers-of:2^64-1", one},
    {"triangular", triangular},
    {"fibonacci", fibonacci},
    {"primes", prime},
    {"moser", moser},
    {"all", positive},
    {"{2,4,7,1024}", listed},
    {"{ 1e3+24 ,7,2^2, 2,2 }", listed},
    {"allbut{1,2,5,6,64,5999}", not_listed},
    {"allbut{}", positive},
    {"additive{5,12}", additive},
    {"additive{12,5}", additive},
    {"poly:k^2+k", pronic},
    {"poly:7k", multiple_of_7},
    {"beatty:8/3", beatty_8_3},
    {"beatty:2.25", beatty_2_25},
    {"beatty:1.000001", beatty_1_000001},
    {"beatty:7", multiple_of_7},
    {"beatty:1", positive},
    {"beatty:phi", beatty_phi},
    {"beatty:sqrt2", beatty_sqrt2},
    {"beatty:e", beatty_e},
    {"random{7,1/4}", random_7_quarter},
    {"random{2^64-6,1/3}", random_wrapping_third},
    {"random{0,5/5}", positive},
};

static const char *kind_name(size_t i) {
    return numbered(i, kinds[i].spec);
}

SG_TEST_P(Set, EnumeratesItsDefinition, kind, kinds, kind_name) {
    static const size_t capacities[] = {1, 2, 3, 63, 64, 65, 1000, NAIVE_LIMIT + 1};
    static uint64_t wanted[NAIVE_LIMIT], got[NAIVE_LIMIT];
    size_t wanted_total = 0;
    uint64_t state = 1234567;
    sg_set *set = parse(param->spec);
    for (uint64_t x = 0; x < NAIVE_LIMIT; x++)
        if (param->is_member(x))
            wanted[wanted_total++] = x;
    for (int round = 0; round < 60; round++) {
        uint64_t limit = round < 20 ? (uint64_t)round : next_random(&state) % (NAIVE_LIMIT + 1);
        size_t capacity = capacities[next_random(&state) % (sizeof capacities / sizeof *capacities)];
        size_t wanted_count = 0;
        while (wanted_count < wanted_total && wanted[wanted_count] < limit)
            wanted_count++;
        SG_TRACE("limit %llu, capacity %zu", (unsigned long long)limit, capacity);
        ASSERT_EQ(collect(set, limit, capacity, got, NAIVE_LIMIT), wanted_count);
        ASSERT_MEMEQ(got, wanted, wanted_count * sizeof *got);
    }
    sg_set_destroy(set);
}

SG_TEST_P(Set, KnowsItsMembers, kind, kinds, kind_name) {
    sg_set *set = parse(param->spec);
    for (uint64_t x = 0; x < 1200; x++) {
        SG_TRACE("%llu", (unsigned long long)x);
        ASSERT_EQ(contains(set, x), param->is_member(x));
    }
    sg_set_destroy(set);
}

SG_TEST(Set, CursorsAreIndependent) {
    sg_set *set = parse("primes");
    sg_set_cursor *first = NULL, *second = NULL;
    uint64_t member = 0;
    size_t count = 0;
    ASSERT_EQ(sg_set_cursor_open(NULL, set, 100, &first), SG_OK);
    ASSERT_EQ(sg_set_cursor_open(NULL, set, UINT64_MAX, &second), SG_OK);
    for (uint64_t x = 0; x < 100; x++) {
        if (!prime(x))
            continue;
        ASSERT_EQ(sg_set_cursor_next(NULL, first, &member, 1, &count), SG_OK);
        ASSERT_EQ(member, x);
        ASSERT_EQ(sg_set_cursor_next(NULL, second, &member, 1, &count), SG_OK);
        ASSERT_EQ(member, x);
    }
    sg_set_cursor_close(first);
    sg_set_cursor_close(second);
    sg_set_destroy(set);
}

/* ---------------------------------------------------------------- primes */

SG_TEST(Primes, AreRightUnderEverySmallLimit) {
    enum { LIMIT = 2000 };
    uint64_t members[LIMIT];
    sg_set *set = parse("primes");
    size_t wanted = 0;
    for (uint64_t limit = 0; limit < LIMIT; limit++) {
        ASSERT_EQ(collect(set, limit, 17, members, LIMIT), wanted);
        for (size_t i = 0; i < wanted; i++)
            ASSERT_TRUE(prime(members[i]));
        wanted += prime(limit);
    }
    sg_set_destroy(set);
}

SG_TEST(Primes, HaveTheKnownCounts) {
    sg_set *set = parse("primes");
    EXPECT_EQ(count_below(set, 1000000), 78498u);
    EXPECT_EQ(count_below(set, 10000000), 664579u);
    EXPECT_EQ(count_below(set, (uint64_t)1 << 24), 1077871u);
    EXPECT_EQ(count_below(set, (uint64_t)1 << 28), 14630843u);
    sg_set_destroy(set);
}

SG_TEST(Primes, HaveTheKnownCountsPast2To32Slow) {
    sg_set *set = parse("primes");
    EXPECT_EQ(count_below(set, (uint64_t)1 << 32), 203280221u);
    EXPECT_EQ(count_below(set, (uint64_t)1 << 33), 393615806u);
    sg_set_destroy(set);
}

SG_TEST(Primes, AgreeWithTrialDivisionAroundSegmentEnds) {
    enum { SPAN = 1 << 19, FROM = SPAN - 2000, TO = SPAN + 2000 }; /* a first-level segment spans 2^19 numbers */
    sg_set *set = parse("primes");
    uint64_t *members = malloc(TO * sizeof *members);
    ASSERT_TRUE(members);
    size_t count = collect(set, TO, 4096, members, TO), at = 0;
    while (members[at] < FROM)
        at++;
    for (uint64_t x = FROM; x < TO; x++) {
        bool found = at < count && members[at] == x;
        ASSERT_EQ(found, prime(x));
        at += found;
    }
    free(members);
    sg_set_destroy(set);
}

/* ---------------------------------------------------------------- the edges of 64 bits */

static const uint64_t edges[] = {(uint64_t)1 << 31, (uint64_t)1 << 32,     (uint64_t)1 << 53,
                                 (uint64_t)1 << 63, 10000000000000000000u, UINT64_MAX};

/* Few members below 2^64, so that they can be enumerated up to the end. */
typedef struct sparse_kind {
    const char *spec;
    sg_u128 (*member)(uint64_t k); /* k = 1, 2, ...; may pass 2^64 */
} sparse_kind;

static sg_u128 raise(sg_u128 base, uint64_t exponent) {
    sg_u128 value = 1;
    while (exponent-- && value >> 64 == 0)
        value *= base;
    return value;
}
static sg_u128 fourth(uint64_t k) {
    return raise(k, 4);
}
static sg_u128 seventh(uint64_t k) {
    return raise(k, 7);
}
static sg_u128 sixty_third(uint64_t k) {
    return raise(k, 63);
}
static sg_u128 of_2(uint64_t k) {
    return raise(2, k - 1);
}
static sg_u128 of_3(uint64_t k) {
    return raise(3, k - 1);
}
static sg_u128 of_2_to_32(uint64_t k) {
    return raise((sg_u128)1 << 32, k - 1);
}
static sg_u128 nth_fibonacci(uint64_t k) {
    sg_u128 a = 0, b = 1;
    while (k--) {
        sg_u128 sum = a + b;
        a = b;
        b = sum;
    }
    return b;
}
static sg_u128 quartic(uint64_t k) {
    return 3 * raise(k, 4) + 5 * (sg_u128)k;
}
static sg_u128 far_list(uint64_t k) {
    static const uint64_t list[] = {1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, UINT64_MAX - 1, UINT64_MAX};
    return k <= sizeof list / sizeof *list ? list[k - 1] : raise(2, 64);
}
static sg_u128 far_beatty(uint64_t k) {
    return (sg_u128)k * 9999999999999999999u / 7;
}

static const sparse_kind sparse_kinds[] = {
    {"powers:4", fourth},
    {"powers:7", seventh},
    {"powers:63", sixty_third},
    {"powers-of:2", of_2},
    {"powers-of:3", of_3},
    {"powers-of:2^32", of_2_to_32},
    {"fibonacci", nth_fibonacci},
    {"poly:3k^4+5k", quartic},
    {"{1,2^31-1,2^31,2^32-1,2^32,2^64-2,2^64-1}", far_list},
    {"beatty:9999999999999999999/7", far_beatty},
};

static const char *sparse_name(size_t i) {
    return numbered(i, sparse_kinds[i].spec);
}

SG_TEST_P(SetEdges, EnumerationStopsWithoutWrapping, sparse_kind, sparse_kinds, sparse_name) {
    enum { ROOM = 1 << 16 };
    static uint64_t members[ROOM];
    sg_set *set = parse(param->spec);
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int offset = -1; offset <= 1; offset++) {
            uint64_t limit = edges[e] + (uint64_t)offset;
            if (limit == 0)
                continue;
            SG_TRACE("limit %llu", (unsigned long long)limit);
            size_t count = collect(set, limit, 100, members, ROOM);
            for (size_t i = 0; i < count; i++)
                ASSERT_EQ(members[i], (uint64_t)param->member(i + 1));
            ASSERT_TRUE(param->member(count + 1) >= limit);
        }
    sg_set_destroy(set);
}

typedef struct member_case {
    const char *spec;
    uint64_t candidate;
    bool is_member;
} member_case;

static const member_case member_cases[] = {
    {"squares", 0xFFFFFFFE00000001, true}, /* (2^32 - 1)^2 */
    {"squares", 0xFFFFFFFE00000000, false},
    {"squares", UINT64_MAX, false},
    {"squares", 46341ull * 46341, true}, /* past 2^31 */
    {"squares", 92681ull * 92681, true},
    {"squares", 94906267ull * 94906267, true}, /* past 2^53 */
    {"squares", 94906267ull * 94906267 - 1, false},
    {"squares", 3037000500ull * 3037000500, true},   /* past 2^63 */
    {"cubes", 2642245ull * 2642245 * 2642245, true}, /* the largest */
    {"cubes", 2642245ull * 2642245 * 2642245 + 1, false},
    {"powers-of:2", (uint64_t)1 << 63, true},
    {"powers-of:2", UINT64_MAX, false},
    {"powers-of:3", 12157665459056928801u, true}, /* 3^40 */
    {"triangular", 18446744070963499500u, true},  /* 6074000999 * 6074001000 / 2 */
    {"triangular", 18446744070963499501u, false},
    {"fibonacci", 12200160415121876738u, true},
    {"fibonacci", 12200160415121876737u, false},
    {"moser", 0x5555555555555555, true},
    {"moser", 0x5555555555555554, true},
    {"moser", 0x8000000000000000, false},
    {"moser", UINT64_MAX, false},
    {"all", UINT64_MAX, true},
    {"allbut{2^64-1}", UINT64_MAX, false},
    {"allbut{2^64-1}", UINT64_MAX - 1, true},
    {"{2^64-1}", UINT64_MAX, true},
    {"additive{2^63,2^63-1}", UINT64_MAX, true},
    {"poly:k^2", 0xFFFFFFFE00000001, true},
    {"poly:k^20", 12157665459056928801u, true}, /* 9^20 = 3^40 */
    {"poly:k^20", 12157665459056928800u, false},
    {"poly:k-18446744073709551615", 1, true},
    {"poly:k-18446744073709551615", UINT64_MAX, true},
    {"beatty:1", UINT64_MAX, true},
    {"beatty:2", UINT64_MAX - 1, true},
    {"beatty:2", UINT64_MAX, false},
    {"beatty:18446744073709551615", UINT64_MAX, true},
    {"beatty:18446744073709551615/18446744073709551614", UINT64_MAX, true},
    {"beatty:18446744073709551615/18446744073709551614", UINT64_MAX - 1, false},
    {"beatty:18446744073709551615/18446744073709551614", UINT64_MAX - 2, true},
};

static const char *member_case_name(size_t i) {
    return numbered(i, member_cases[i].spec);
}

SG_TEST_P(SetEdges, MembershipIsExact, member_case, member_cases, member_case_name) {
    sg_set *set = parse(param->spec);
    SG_TRACE("%llu", (unsigned long long)param->candidate);
    EXPECT_EQ(contains(set, param->candidate), param->is_member);
    sg_set_destroy(set);
}

/* Reading a little under the largest limit must not prepare for all of it. */
SG_TEST_P(SetEdges, TheLargestLimitCostsNothing, kind, kinds, kind_name) {
    uint64_t members[40];
    size_t count = 0, total = 0;
    uint64_t previous = 0;
    sg_set *set = parse(param->spec);
    sg_set_cursor *cursor = NULL;
    ASSERT_EQ(sg_set_cursor_open(NULL, set, UINT64_MAX, &cursor), SG_OK);
    do {
        ASSERT_EQ(sg_set_cursor_next(NULL, cursor, members, 7, &count), SG_OK);
        for (size_t i = 0; i < count; i++) {
            ASSERT_LT(previous, members[i]);
            if (members[i] < NAIVE_LIMIT)
                ASSERT_TRUE(param->is_member(members[i]));
            previous = members[i];
        }
        total += count;
    } while (count && total < 35);
    sg_set_cursor_close(cursor);
    sg_set_destroy(set);
}

/* ---------------------------------------------------------------- Beatty sequences far out */

/* The largest m with holds(m, k). */
static uint64_t largest(bool (*holds)(uint64_t m, uint64_t k), uint64_t k) {
    uint64_t low = 0, high = (uint64_t)1 << 63;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (holds(middle, k))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* m <= k*phi iff 2m - k <= k*sqrt5; m <= k*sqrt2 iff m^2 <= 2k^2. */
static bool below_phi(uint64_t m, uint64_t k) {
    sg_u128 twice = 2 * (sg_u128)m;
    return twice <= k || (twice - k <= 4 * (sg_u128)k && (twice - k) * (twice - k) <= 5 * (sg_u128)k * k);
}
static bool below_sqrt2(uint64_t m, uint64_t k) {
    return (sg_u128)m * m <= 2 * (sg_u128)k * k;
}
static uint64_t floor_phi(uint64_t k) {
    return largest(below_phi, k);
}
static uint64_t floor_sqrt2(uint64_t k) {
    return largest(below_sqrt2, k);
}

/* e lies between two neighbouring convergents of [2; 1, 2, 1, 1, 4, 1, 1, 6, ...]; both must agree on the floor. */
static uint64_t floor_e(uint64_t k) {
    sg_u128 p[2] = {1, 2}, q[2] = {0, 1};
    for (unsigned i = 1; q[1] < (sg_u128)1 << 62; i++) {
        unsigned quotient = i % 3 == 2 ? 2 * (i / 3 + 1) : 1;
        sg_u128 next_p = quotient * p[1] + p[0], next_q = quotient * q[1] + q[0];
        p[0] = p[1], q[0] = q[1];
        p[1] = next_p, q[1] = next_q;
    }
    uint64_t first = (uint64_t)(k * p[0] / q[0]), second = (uint64_t)(k * p[1] / q[1]);
    ASSERT_EQ(first, second);
    return first;
}

typedef struct irrational {
    const char *spec;
    uint64_t (*multiple)(uint64_t k);
    int k_bits; /* up to which the oracle's own arithmetic fits */
} irrational;

static const irrational irrationals[] = {
    {"beatty:phi", floor_phi, 61}, {"beatty:sqrt2", floor_sqrt2, 62}, {"beatty:e", floor_e, 59}};

static const char *irrational_name(size_t i) {
    return numbered(i, irrationals[i].spec);
}

SG_TEST_P(Beatty, IsExactAtEveryScale, irrational, irrationals, irrational_name) {
    uint64_t state = 99;
    sg_set *set = parse(param->spec);
    for (int i = 0; i < 3000; i++) {
        uint64_t k = (next_random(&state) >> (64 - param->k_bits)) >> next_random(&state) % (uint64_t)param->k_bits;
        k += k == 0;
        uint64_t here = param->multiple(k), following = param->multiple(k + 1);
        ASSERT_LT(here, following);
        ASSERT_TRUE(contains(set, here));
        ASSERT_TRUE(contains(set, following));
        for (uint64_t between = here + 1; between < following; between++)
            ASSERT_FALSE(contains(set, between));
    }
    sg_set_destroy(set);
}

/* Where k*alpha comes nearest to an integer: at the convergents, F(n+1)/F(n) for phi and the Pell fractions for sqrt2.
 */
SG_TEST(Beatty, IsExactAtConvergents) {
    sg_set *phi = parse("beatty:phi"), *sqrt2 = parse("beatty:sqrt2");
    uint64_t a = 1, b = 2;
    while (b < (uint64_t)1 << 61) {
        ASSERT_TRUE(contains(phi, floor_phi(b)));
        ASSERT_EQ(contains(phi, floor_phi(b) + 1), floor_phi(b + 1) == floor_phi(b) + 1);
        uint64_t sum = a + b;
        a = b, b = sum;
    }
    for (a = 1, b = 2; b < (uint64_t)1 << 61;) {
        ASSERT_TRUE(contains(sqrt2, floor_sqrt2(b)));
        ASSERT_EQ(contains(sqrt2, floor_sqrt2(b) + 1), floor_sqrt2(b + 1) == floor_sqrt2(b) + 1);
        uint64_t sum = a + 2 * b;
        a = b, b = sum;
    }
    sg_set_destroy(phi);
    sg_set_destroy(sqrt2);
}

/* ---------------------------------------------------------------- polynomials */

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Values at k = 1 .. last in (0, limit), sorted, without duplicates. */
static size_t naive_values(const int *coefficients, int degree, int64_t last, uint64_t limit, uint64_t *values) {
    size_t count = 0, kept = 0;
    for (int64_t k = 1; k <= last; k++) {
        sg_i128 value = 0;
        for (int i = degree; i >= 0; i--)
            value = value * k + coefficients[i];
        if (value > 0 && value < (sg_i128)limit)
            values[count++] = (uint64_t)value;
    }
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

static void check_polynomial(const int *coefficients, int degree) {
    enum { LAST = 5000 };
    static uint64_t wanted[LAST], got[LAST];
    char spec[256] = "poly:";
    for (int i = 0; i <= degree; i++)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%d*k^%d", coefficients[i] < 0 ? "-" : "+",
                 abs(coefficients[i]), i);
    SG_TRACE("%s", spec);
    sg_set *set = parse(spec);
    size_t count = naive_values(coefficients, degree, LAST, 3000, wanted);
    ASSERT_EQ(collect(set, 3000, 10, got, LAST), count);
    ASSERT_MEMEQ(got, wanted, count * sizeof *got);
    for (uint64_t x = 0, at = 0; x < 300; x++) {
        bool is_value = at < count && wanted[at] == x;
        ASSERT_EQ(contains(set, x), is_value);
        at += is_value;
    }
    sg_set_destroy(set);
}

SG_TEST(Polynomial, MergesValuesThatRiseAndFall) {
    static const int table[][6] = {
        {0, 1},                     /* k */
        {-5, 1},                    /* k - 5 */
        {3, -3, 1},                 /* 1, 1, 3, 7: a value twice at the start */
        {99, -20, 1},               /* falls below zero and comes back */
        {-20, 41, -12, 1},          /* rises, falls, rises */
        {1500, -1000, 300, -30, 1}, /* two valleys */
        {0, 24, -50, 35, -10, 1},   /* zeros at 0, 1, 2, 3, 4 */
        {1000, -300, 30, -1, 0, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int degree = 5;
        while (table[i][degree] == 0)
            degree--;
        check_polynomial(table[i], degree);
    }
}

SG_TEST(Polynomial, AgreesWithTrialForRandomCoefficients) {
    uint64_t state = 31337;
    for (int round = 0; round < 400; round++) {
        int coefficients[7], degree = 1 + (int)(next_random(&state) % 6);
        for (int i = 0; i < degree; i++)
            coefficients[i] = (int)(next_random(&state) % 2001) - 1000;
        coefficients[degree] = 1 + (int)(next_random(&state) % 3);
        check_polynomial(coefficients, degree);
    }
}

SG_TEST(Polynomial, EntersWhereItTurnsPositive) {
    uint64_t members[4] = {0};
    sg_set_cursor *cursor = NULL;
    size_t count = 0;
    sg_set *set = parse("poly:k^2-10^18*k");
    ASSERT_EQ(sg_set_cursor_open(NULL, set, UINT64_MAX, &cursor), SG_OK);
    ASSERT_EQ(sg_set_cursor_next(NULL, cursor, members, 4, &count), SG_OK);
    ASSERT_EQ(count, 4u);
    for (uint64_t i = 1; i <= 4; i++)
        EXPECT_EQ(members[i - 1], i * (1000000000000000000u + i));
    sg_set_cursor_close(cursor);
    sg_set_destroy(set);
}

/* ---------------------------------------------------------------- callbacks */

typedef struct script {
    const uint64_t *members;
    uint64_t count;
    uint64_t asked; /* indices that were asked for */
} script;

static bool from_script(void *user, uint64_t index, uint64_t *member) {
    script *s = user;
    s->asked = index + 1;
    if (index >= s->count)
        return false;
    *member = s->members[index];
    return true;
}

SG_TEST(Callback, IsEnumeratedUpToTheLimit) {
    static const uint64_t members[] = {1, 2, 40, 41, 1000};
    uint64_t got[8];
    script s = {members, 5, 0};
    sg_set *set = NULL;
    ASSERT_EQ(sg_set_from_callback(NULL, "mine", from_script, &s, &set), SG_OK);
    EXPECT_STREQ(sg_set_name(set), "mine");
    for (size_t capacity = 1; capacity < 8; capacity++) {
        ASSERT_EQ(collect(set, 41, capacity, got, 8), 3u);
        EXPECT_EQ(s.asked, 4u);
        ASSERT_EQ(collect(set, UINT64_MAX, capacity, got, 8), 5u);
        ASSERT_MEMEQ(got, members, sizeof members);
    }
    ASSERT_EQ(collect(set, 0, 1, got, 8), 0u);
    EXPECT_TRUE(contains(set, 40));
    EXPECT_FALSE(contains(set, 42));
    EXPECT_FALSE(contains(set, UINT64_MAX));
    sg_set_destroy(set);
}

SG_TEST(Callback, BreakingTheOrderFails) {
    static const uint64_t zero[] = {0, 1}, equal[] = {3, 3}, falling[] = {5, 4};
    static const struct {
        const uint64_t *members;
        const char *text;
    } table[] = {
        {zero, "gave 0 at index 0"}, {equal, "gave 3 at index 1, which must be more than 3"}, {falling, "gave 4"}};
    sg_context *context = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        script s = {table[i].members, 2, 0};
        sg_set *set = NULL;
        sg_set_cursor *cursor = NULL;
        uint64_t members[4];
        size_t count = 0;
        ASSERT_EQ(sg_set_from_callback(context, "broken", from_script, &s, &set), SG_OK);
        ASSERT_EQ(sg_set_cursor_open(context, set, 100, &cursor), SG_OK);
        EXPECT_EQ(sg_set_cursor_next(context, cursor, members, 4, &count), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_TRUE(strstr(sg_last_error(context), table[i].text));
        EXPECT_TRUE(strstr(sg_last_error(context), "'broken'"));
        sg_set_cursor_close(cursor);
        sg_set_destroy(set);
    }
    sg_context_destroy(context);
}
