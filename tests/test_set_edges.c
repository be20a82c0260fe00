/* Sets at the edges of 64 bits, and Beatty sequences far out, where floating point would be wrong. */
#include "number.h"
#include "set_checks.h"

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
