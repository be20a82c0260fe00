/* The emulation executes correct kernels as CUDA defines them: every thread once, barriers, warp collectives, atomics,
 * arithmetic, shared memory, Thrust. */
#include "device_checks.h"
#include "planted.h"

#include <math.h>

static uint64_t product(dim3 d) {
    return (uint64_t)d.x * d.y * d.z;
}

typedef struct grid_shape {
    dim3 blocks, threads;
} grid_shape;

static const grid_shape shapes[] = {
    {{1, 1, 1}, {1, 1, 1}},    {{1, 1, 1}, {31, 1, 1}},   {{7, 1, 1}, {33, 1, 1}},
    {{3, 1, 1}, {1024, 1, 1}}, {{5, 3, 2}, {8, 4, 2}},    {{2, 2, 2}, {1, 64, 1}},
    {{1, 4, 1}, {2, 2, 64}},   {{1, 1, 9}, {10, 10, 10}}, {{300, 1, 1}, {64, 1, 1}},
};

SG_TEST_P(Execution, EveryThreadRunsOnce, grid_shape, shapes, NULL) {
    uint64_t threads = product(param->blocks) * product(param->threads), wrong = 0;
    uint32_t *visits = calloc(threads, sizeof *visits);
    for (int order = EMU_FORWARD; order <= EMU_SHUFFLED; order++) {
        emu_reset();
        emu_order((emu_thread_order)order);
        memset(visits, 0, threads * sizeof *visits);
        uint32_t *d_visits = to_device(visits, threads * sizeof *visits);
        ASSERT_CUDA(planted_visit(NULL, param->blocks, param->threads, d_visits));
        to_host(visits, d_visits, threads * sizeof *visits);
        for (uint64_t i = 0; i < threads; i++)
            wrong += visits[i] != 1;
        EXPECT_EQ(wrong, 0u);
    }
    emu_reset();
    free(visits);
}

/* ---------------------------------------------------------------- collectives */

typedef struct collective_case {
    unsigned threads;
    uint32_t mask;
} collective_case;

static const collective_case collective_cases[] = {{32, 0xffffffff}, {128, 0xffffffff}, {64, 0x0000ffff},
                                                   {64, 0xa5a5a5a5}, {96, 0x00000020},  {1024, 0xffff0fff}};

static const uint32_t GARBAGE = 0xdeadbeef; /* what a lane gets from one that is not there */

/* What a lane of a warp gets; v are the warp's values. */
static void expect_collectives(const planted_collectives *got, const uint32_t *v, uint32_t mask, unsigned lane) {
    planted_collectives e = {
        .all = 1, .least = UINT32_MAX, .bits_and = UINT32_MAX, .signed_least = INT32_MAX, .signed_greatest = INT32_MIN};
    unsigned up = lane < 3 ? lane : lane - 3, down = lane + 7 > 31 ? lane : lane + 7, group = lane & ~7u;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1) {
            int32_t number = (int32_t)v[i];
            e.ballot |= (v[i] & 1) << i;
            e.any |= v[i] % 5 == 0;
            e.all &= v[i] % 5 != 0;
            e.match |= (uint32_t)(v[i] % 4 == v[lane] % 4) << i;
            e.sum += v[i];
            e.least = v[i] < e.least ? v[i] : e.least;
            e.greatest = v[i] > e.greatest ? v[i] : e.greatest;
            e.signed_least = number < e.signed_least ? number : e.signed_least;
            e.signed_greatest = number > e.signed_greatest ? number : e.signed_greatest;
            e.bits_and &= v[i];
            e.bits_or |= v[i];
            e.bits_xor ^= v[i];
        }
    EXPECT_EQ(got->ballot, e.ballot);
    EXPECT_EQ(got->any, e.any);
    EXPECT_EQ(got->all, e.all);
    EXPECT_EQ(got->match, e.match);
    EXPECT_EQ(got->sum, e.sum);
    EXPECT_EQ(got->least, e.least);
    EXPECT_EQ(got->greatest, e.greatest);
    EXPECT_EQ(got->signed_least, e.signed_least);
    EXPECT_EQ(got->signed_greatest, e.signed_greatest);
    EXPECT_EQ(got->bits_and, e.bits_and);
    EXPECT_EQ(got->bits_or, e.bits_or);
    EXPECT_EQ(got->bits_xor, e.bits_xor);
    EXPECT_EQ(got->from_5, mask >> 5 & 1 ? v[5] : GARBAGE);
    EXPECT_EQ(got->up_3, mask >> up & 1 ? v[up] : GARBAGE);
    EXPECT_EQ(got->down_7, mask >> down & 1 ? v[down] : GARBAGE);
    EXPECT_EQ(got->across_9, mask >> (lane ^ 9) & 1 ? v[lane ^ 9] : GARBAGE);
    EXPECT_EQ(got->within_8, mask >> (group + 2) & 1 ? v[group + 2] : GARBAGE);
    if (mask >> 1 & 1)
        EXPECT_EQ(got->wide_from_1, (uint64_t)v[1] << 20);
    if (lane && mask >> (lane - 1) & 1)
        EXPECT_NEAR(got->real_up_1, 0.5 * v[lane - 1], 0);
}

SG_TEST_P(Execution, CollectivesGiveWhatCudaDefines, collective_case, collective_cases, NULL) {
    planted_collectives *got = malloc(param->threads * sizeof *got);
    uint32_t *values = malloc(param->threads * sizeof *values);
    uint64_t random = param->threads + param->mask;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint32_t odd = 0, seventh = 0;
        emu_reset();
        emu_seed(seed);
        for (unsigned i = 0; i < param->threads; i++) {
            values[i] = next_number(&random) | (seed % 2 ? 0x80 : 0);
            odd += values[i] & 1;
            seventh += values[i] % 7 == 0;
        }
        uint32_t *d_values = to_device(values, param->threads * sizeof *values);
        planted_collectives *d_got = new_on_device(param->threads * sizeof *d_got);
        ASSERT_CUDA(planted_collectives_launch(NULL, param->threads, param->mask, d_values, d_got));
        to_host(got, d_got, param->threads * sizeof *got);
        EXPECT_STREQ(emu_last_report(), "");
        for (unsigned i = 0; i < param->threads; i++) {
            SG_TRACE("seed %d, thread %u", (int)seed, i);
            if (param->mask >> i % 32 & 1)
                expect_collectives(&got[i], values + i / 32 * 32, param->mask, i % 32);
            EXPECT_EQ(got[i].block_count, odd);
            EXPECT_EQ(got[i].block_any, seventh > 0);
            EXPECT_EQ(got[i].block_all, seventh == 0);
        }
    }
    emu_reset();
    free(got);
    free(values);
}

/* ---------------------------------------------------------------- atomics */

SG_TEST(Execution, AtomicsAreOneStep) {
    enum { THREADS = 1000 };
    static uint32_t tickets[THREADS + 1], seen[THREADS];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        emu_reset();
        emu_seed(seed);
        memset(tickets, 0, sizeof tickets);
        memset(seen, 0, sizeof seen);
        uint32_t *d_tickets = to_device(tickets, sizeof tickets);
        ASSERT_CUDA(planted_tickets(NULL, THREADS, d_tickets));
        to_host(tickets, d_tickets, sizeof tickets);
        EXPECT_EQ(tickets[THREADS], (uint32_t)THREADS);
        uint32_t missing = 0;
        for (size_t i = 0; i < THREADS; i++)
            if (tickets[i] < THREADS)
                seen[tickets[i]]++;
        for (size_t i = 0; i < THREADS; i++)
            missing += seen[i] != 1;
        EXPECT_EQ(missing, 0u);
    }
    emu_reset();
}

SG_TEST(Execution, EveryAtomicOfEveryTypeDoesWhatItsNameSays) {
    planted_atomics words = {.least = 1000, .all = 0xff, .sum = 0.5f, .wide_sum = 7};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        planted_atomics got;
        emu_reset();
        emu_seed(seed);
        planted_atomics *d_words = to_device(&words, sizeof words);
        ASSERT_CUDA(planted_atomics_launch(NULL, d_words));
        to_host(&got, d_words, sizeof got);
        EXPECT_EQ(got.add, 2016u);
        EXPECT_EQ(got.least, 5u);
        EXPECT_EQ(got.greatest, 68u);
        EXPECT_EQ(got.all, 0xf0u);
        EXPECT_EQ(got.any, 0xfffffu);
        EXPECT_EQ(got.odd, 0u); /* every bit an even number of times */
        EXPECT_EQ(got.swapped, 4032u);
        EXPECT_EQ(got.signed_least, -20);
        EXPECT_EQ(got.signed_greatest, 43);
        EXPECT_EQ(got.wide_add, 2016ull << 32);
        EXPECT_EQ(got.wide_any, UINT64_MAX);
        EXPECT_NEAR((double)got.sum, 1008.5, 0);
        EXPECT_NEAR(got.wide_sum, 511, 0);
    }
    emu_reset();
}

/* ---------------------------------------------------------------- arithmetic */

static uint64_t reversed(uint64_t x, unsigned bits) {
    uint64_t result = 0;
    for (unsigned i = 0; i < bits; i++)
        result |= (x >> i & 1) << (bits - 1 - i);
    return result;
}

static int lowest_bit(uint64_t x) { /* from 1; 0: none */
    int at = 1;
    if (!x)
        return 0;
    for (; !(x & 1); x >>= 1)
        at++;
    return at;
}

static int leading_zeros(uint64_t x, int bits) {
    for (; x; x >>= 1)
        bits--;
    return bits;
}

static int ones(uint64_t x) {
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

/* The high half of x * x by halves. */
static uint64_t square_high(uint64_t x) {
    uint64_t low = x & UINT32_MAX, high = x >> 32, middle = low * high;
    uint64_t carry = ((low * low >> 32) + 2 * (middle & UINT32_MAX)) >> 32;
    return high * high + 2 * (middle >> 32) + carry;
}

SG_TEST(Execution, ArithmeticIsThatOfTheDevice) {
    enum { CASES = 600 };
    static planted_arithmetic cases[CASES];
    static const uint32_t edges[] = {0, 1, 0x80000000, 0xffffffff};
    uint64_t random = 5;
    for (uint32_t i = 0; i < CASES; i++) {
        cases[i].a = i < 200 ? edges[i % 4] : next_number(&random);
        cases[i].b = i < 200 ? edges[i / 4 % 4] : next_number(&random) >> i % 32;
        cases[i].shift = i % 70;
        cases[i].x = i % 3 ? (double)next_number(&random) / 65536 - 20000 : (double)i / 2 - 100;
    }
    emu_reset();
    planted_arithmetic *d_cases = to_device(cases, sizeof cases);
    ASSERT_CUDA(planted_arithmetic_launch(NULL, d_cases, CASES));
    to_host(cases, d_cases, sizeof cases);
    for (uint32_t i = 0; i < CASES; i++) {
        const planted_arithmetic *c = &cases[i];
        SG_TRACE("case %u", (unsigned)i);
        uint64_t pair = (uint64_t)c->b << 32 | c->a, wide = (uint64_t)c->a << 32 | c->b;
        uint32_t s = c->shift % 32, clamped = c->shift > 32 ? 32 : c->shift;
        EXPECT_EQ(c->left, (uint32_t)(pair << s >> 32));
        EXPECT_EQ(c->right, (uint32_t)(pair >> s));
        EXPECT_EQ(c->left_clamped, (uint32_t)(pair << clamped >> 32));
        EXPECT_EQ(c->right_clamped, (uint32_t)(pair >> clamped));
        EXPECT_EQ(c->product_high, (uint32_t)((uint64_t)c->a * c->b >> 32));
        EXPECT_EQ(c->wide_product_high, square_high(wide));
        EXPECT_EQ(c->reversed, (uint32_t)reversed(c->a, 32));
        EXPECT_EQ(c->wide_reversed, reversed(wide, 64));
        EXPECT_EQ(c->ones, ones(c->a));
        EXPECT_EQ(c->wide_ones, ones(wide));
        EXPECT_EQ(c->first, lowest_bit(c->a));
        EXPECT_EQ(c->wide_first, lowest_bit(wide));
        EXPECT_EQ(c->zeros, leading_zeros(c->a, 32));
        EXPECT_EQ(c->wide_zeros, leading_zeros(wide, 64));
        double pi = acos(-1.0), part = remainder(c->x, 2.0), single_part = remainder((double)(float)c->x, 2.0);
        EXPECT_NEAR(c->wide_sine, sin(pi * part), 4e-16);
        EXPECT_NEAR(c->wide_cosine, cos(pi * part), 4e-16);
        EXPECT_NEAR((double)c->sine, sin(pi * single_part), 1e-7);
        EXPECT_NEAR((double)c->cosine, cos(pi * single_part), 1e-7);
        if (i % 3 == 0 && i % 2 == 0) { /* whole numbers: exact */
            EXPECT_NEAR(c->wide_sine, 0, 0);
            EXPECT_NEAR(fabs(c->wide_cosine), 1, 0);
        }
    }
    emu_reset();
}

/* ---------------------------------------------------------------- shared memory and Thrust */

SG_TEST(Execution, DynamicSharedMemoryIsAsLargeAsTheLaunchSays) {
    static const size_t sizes[] = {4, 516, 48 << 10};
    uint32_t right = 0;
    emu_reset();
    uint32_t *d_right = new_on_device(sizeof right);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ASSERT_CUDA(planted_dynamic_shared(NULL, 0, sizes[i], d_right));
        to_host(&right, d_right, sizeof right);
        EXPECT_EQ(right, (uint32_t)(sizes[i] / 4));
    }
    ASSERT_CUDA(planted_dynamic_shared(NULL, 227 << 10, 227 << 10, d_right));
    to_host(&right, d_right, sizeof right);
    EXPECT_EQ(right, (227u << 10) / 4);
    EXPECT_STREQ(emu_last_report(), "");
    emu_reset();
}

SG_TEST(Execution, ThrustWorksOnAStream) {
    enum { COUNT = 5000 };
    static uint32_t numbers[COUNT], sums[COUNT];
    uint64_t random = 3;
    uint32_t sum = 0, wrong = 0;
    for (int progress = EMU_EAGER; progress <= EMU_RANDOM; progress++) {
        emu_reset();
        emu_async((emu_progress)progress);
        for (size_t i = 0; i < COUNT; i++)
            numbers[i] = next_number(&random);
        cudaStream_t stream = new_stream();
        uint32_t *d_numbers = to_device(numbers, sizeof numbers), *d_sums = new_on_device(sizeof sums);
        ASSERT_CUDA(planted_increment(stream, d_numbers, COUNT)); /* Thrust must wait for it */
        ASSERT_CUDA(planted_prefix_sums(stream, d_numbers, d_sums, COUNT));
        ASSERT_CUDA(cudaMemcpyAsync(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost, stream));
        ASSERT_CUDA(cudaStreamSynchronize(stream));
        sum = 0;
        for (size_t i = 0; i < COUNT; i++) {
            sum += numbers[i] + 1;
            wrong += sums[i] != sum;
        }
        EXPECT_EQ(wrong, 0u);
    }
    emu_reset();
}
