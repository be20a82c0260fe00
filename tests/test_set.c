/* Enumeration of sets: every kind against its definition, in batches of any size. */
#include "set_checks.h"

#include <stdlib.h>
#include <string.h>

enum { NAIVE_LIMIT = 6000 };

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
