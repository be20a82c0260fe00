/* The transforms by themselves, in both precisions and on every instruction set that this processor has: marks are
 * those of a reference that shares no code with them, and errors stay within the bound of precision.h. */
#include "backend.h"
#include "checks.h"
#include "cpu/transform.h"
#include "precision.h"
#include "reference/reached.h"

#include <stdlib.h>
#include <string.h>

typedef struct transform_case {
    const char *name;
    const char *instruction_set;
    bool in_double;
    uint32_t threads;
} transform_case;

static const transform_case transform_cases[] = {
    {"float_portable", "portable", false, 1}, {"float_avx2", "avx2", false, 1},
    {"float_avx512", "avx512", false, 1},     {"float_two_threads", "avx512", false, 2},
    {"double_portable", "portable", true, 1}, {"double_avx2", "avx2", true, 1},
    {"double_avx512", "avx512", true, 1},     {"double_two_threads", "avx512", true, 2},
};

static const char *transform_case_name(size_t i) {
    return transform_cases[i].name;
}

/* Room for products of up to MOST_PRODUCTS pairs. */
enum { MOST_PRODUCTS = 5 };

typedef struct workshop {
    const transform_case *which;
    sg_memory memory;
    sg_monitor monitor;
    sg_transform transform;
    uint64_t points;
    uint8_t *sources[MOST_PRODUCTS]; /* `points` bits each */
    uint8_t *shifts[MOST_PRODUCTS];  /* 2 * points bits */
    void *left[MOST_PRODUCTS];
    void *right[MOST_PRODUCTS];
    void *sum;
    uint8_t *marks;
    uint64_t source_count; /* set bits of all sources */
    uint64_t shift_count;
} workshop;

static void *take(workshop *shop, uint64_t bytes) {
    void *block = sg_memory_take(&shop->memory, bytes);
    ASSERT_TRUE(block != NULL);
    return block;
}

static void open_workshop(workshop *shop, const transform_case *which, uint64_t points) {
    const sg_kernels *kernels = sg_kernels_by_name(which->instruction_set);
    if (!kernels)
        SG_SKIP("this processor has no %s", which->instruction_set);
    const sg_transform_kernels *passes = which->in_double ? kernels->transform_double : kernels->transform_float;
    uint64_t bytes = 2 * points * passes->number_bytes;
    *shop = (workshop){.which = which, .points = points};
    sg_memory_init(&shop->memory, test_context(), 0);
    sg_monitor_init(&shop->monitor, NULL, 1);
    ASSERT_EQ(sg_transform_open(&shop->transform, passes, points, which->threads, &shop->memory, &shop->monitor),
              SG_OK);
    EXPECT_EQ(shop->memory.held_bytes, sg_transform_bytes(points, passes->number_bytes));
    for (unsigned i = 0; i < MOST_PRODUCTS; i++) {
        shop->sources[i] = take(shop, points / 8);
        shop->shifts[i] = take(shop, points / 4);
        shop->left[i] = take(shop, bytes);
        shop->right[i] = take(shop, bytes);
    }
    shop->sum = take(shop, bytes);
    shop->marks = take(shop, points / 8);
}

static void close_workshop(workshop *shop) {
    sg_transform_close(&shop->transform);
    for (unsigned i = 0; i < MOST_PRODUCTS; i++) {
        sg_memory_give(&shop->memory, shop->sources[i]);
        sg_memory_give(&shop->memory, shop->shifts[i]);
        sg_memory_give(&shop->memory, shop->left[i]);
        sg_memory_give(&shop->memory, shop->right[i]);
    }
    sg_memory_give(&shop->memory, shop->sum);
    sg_memory_give(&shop->memory, shop->marks);
    EXPECT_EQ(shop->memory.held_bytes, 0u);
}

static uint64_t fill(uint8_t *bits, uint64_t count, rng *random, uint64_t per_mille) {
    uint64_t set = 0;
    memset(bits, 0, count / 8);
    for (uint64_t i = 0; i < count; i++)
        if (rng_chance(random, per_mille, 1000)) {
            bits[i / 8] |= (uint8_t)(1u << i % 8);
            set++;
        }
    return set;
}

static void fill_all(workshop *shop, rng *random, unsigned products, uint64_t source_per_mille,
                     uint64_t shift_per_mille) {
    shop->source_count = shop->shift_count = 0;
    for (unsigned i = 0; i < products; i++) {
        shop->source_count += fill(shop->sources[i], shop->points, random, source_per_mille);
        shop->shift_count += fill(shop->shifts[i], 2 * shop->points, random, shift_per_mille);
    }
}

static void transform_all(workshop *shop, unsigned products) {
    for (unsigned i = 0; i < products; i++) {
        sg_bit_coefficients source = {shop->sources[i], NULL, 1};
        sg_bit_coefficients shifts = {shop->shifts[i], shop->shifts[i] + shop->points / 8, 1 / (double)shop->points};
        sg_transform_forward(&shop->transform, shop->points, &source, shop->left[i]);
        sg_transform_forward(&shop->transform, shop->points, &shifts, shop->right[i]);
    }
}

static void expect_marks(const workshop *shop, unsigned products) {
    bool *expected = calloc(shop->points, sizeof *expected), *reached = calloc(2 * shop->points, sizeof *reached);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < products; i++) {
        reference_reached(shop->sources[i], shop->points, shop->shifts[i], 2 * shop->points, reached, 2 * shop->points);
        for (uint64_t x = 0; x < shop->points; x++)
            expected[x] |= reached[shop->points + x];
    }
    for (uint64_t x = 0; x < shop->points; x++)
        wrong += expected[x] != (shop->marks[x / 8] >> x % 8 & 1);
    EXPECT_EQ(wrong, 0u);
    free(expected);
    free(reached);
}

static void expect_within_bound(const workshop *shop, unsigned products, const sg_counts_quality *quality) {
    double roundoff = shop->which->in_double ? SG_DOUBLE_ROUNDOFF : SG_FLOAT_ROUNDOFF;
    double bound = sg_count_error((unsigned)__builtin_ctzll(shop->points), products, (double)shop->source_count,
                                  (double)shop->shift_count, roundoff);
    EXPECT_TRUE(bound < SG_PROVED_ERROR);
    EXPECT_TRUE(quality->distance <= bound);
    EXPECT_TRUE(!quality->doubtful);
}

static void expect_products(workshop *shop, rng *random, unsigned products, uint64_t per_mille) {
    fill_all(shop, random, products, per_mille, per_mille);
    transform_all(shop, products);
    sg_product pairs[MOST_PRODUCTS];
    for (unsigned i = 0; i < products; i++)
        pairs[i] = (sg_product){shop->left[i], shop->right[i]};
    SG_TRACE("%u products of %u points, %u per mille", products, (unsigned)shop->points, (unsigned)per_mille);
    sg_counts_quality quality =
        sg_transform_sum(&shop->transform, shop->points, pairs, products, shop->sum, shop->marks);
    expect_within_bound(shop, products, &quality);
    expect_marks(shop, products);
    /* The same with the sum made in memory. */
    memset(shop->marks, 0, shop->points / 8);
    for (unsigned i = 0; i < products; i++)
        sg_transform_multiply(&shop->transform, shop->points, &pairs[i], i > 0, shop->sum);
    quality = sg_transform_sum(&shop->transform, shop->points, NULL, 0, shop->sum, shop->marks);
    expect_within_bound(shop, products, &quality);
    expect_marks(shop, products);
}

static void expect_convolution(workshop *shop, rng *random, uint64_t source_per_mille, uint64_t shift_per_mille) {
    fill_all(shop, random, 1, source_per_mille, shift_per_mille);
    transform_all(shop, 1);
    SG_TRACE("%u points, %u and %u per mille", (unsigned)shop->points, (unsigned)source_per_mille,
             (unsigned)shift_per_mille);
    sg_counts_quality quality =
        sg_transform_convolve(&shop->transform, shop->points, shop->sources[0], shop->right[0], shop->sum, shop->marks);
    expect_within_bound(shop, 1, &quality);
    expect_marks(shop, 1);
}

SG_TEST_P(Transform, ConvolutionMarksWhatIsReachedAtEverySize, transform_case, transform_cases, transform_case_name) {
    rng random = {31};
    uint64_t most = scaled(UINT64_C(1) << 17, UINT64_C(1) << 14);
    for (uint64_t points = SG_TRANSFORM_LEAST_POINTS; points <= most; points *= 2) {
        workshop shop;
        open_workshop(&shop, param, points);
        expect_convolution(&shop, &random, 1, 3);
        expect_convolution(&shop, &random, points > 1 << 14 ? 2 : 500, 20);
        close_workshop(&shop);
    }
}

/* Long enough for passes over memory beside the first and the last, see SG_TRANSFORM_BLOCK_BYTES. */
SG_TEST_P(SlowTransform, PassesOverMemoryAreExactToo, transform_case, transform_cases, transform_case_name) {
    rng random = {33};
    for (uint64_t points = UINT64_C(1) << 21; points <= UINT64_C(1) << 22; points *= 2) {
        workshop shop;
        open_workshop(&shop, param, points);
        expect_convolution(&shop, &random, 1, 2);
        close_workshop(&shop);
    }
}

SG_TEST_P(Transform, SumsOfProductsMarkWhatAnyOfThemReaches, transform_case, transform_cases, transform_case_name) {
    rng random = {32};
    for (uint64_t points = SG_TRANSFORM_LEAST_POINTS; points <= scaled(1 << 15, 1 << 13); points *= 2) {
        workshop shop;
        open_workshop(&shop, param, points);
        for (unsigned products = 1; products <= MOST_PRODUCTS; products++)
            expect_products(&shop, &random, products, 3);
        close_workshop(&shop);
    }
}

static void fill_multiples(uint8_t *bits, uint64_t count, uint64_t step) {
    memset(bits, 0, count / 8);
    for (uint64_t i = 0; i < count; i += step)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Sets in one class of residues, whose spectrum is a few high peaks, are the hardest. */
SG_TEST_P(Transform, ErrorsOfStructuredSetsStayWithinTheBound, transform_case, transform_cases, transform_case_name) {
    static const uint64_t steps[] = {2, 3, 4, 5, 7, 13, 64, 1000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        workshop shop;
        uint64_t points = UINT64_C(1) << 13;
        open_workshop(&shop, param, points);
        fill_multiples(shop.sources[0], points, steps[i]);
        fill_multiples(shop.shifts[0], 2 * points, steps[i]);
        shop.source_count = (points - 1) / steps[i] + 1;
        shop.shift_count = (2 * points - 1) / steps[i] + 1;
        transform_all(&shop, 1);
        SG_TRACE("multiples of %u", (unsigned)steps[i]);
        sg_counts_quality quality =
            sg_transform_convolve(&shop.transform, points, shop.sources[0], shop.right[0], shop.sum, shop.marks);
        expect_within_bound(&shop, 1, &quality);
        expect_marks(&shop, 1);
        close_workshop(&shop);
    }
}

SG_TEST_P(Transform, CountsBesideIntegersAreReported, transform_case, transform_cases, transform_case_name) {
    workshop shop;
    open_workshop(&shop, param, SG_TRANSFORM_LEAST_POINTS);
    memset(shop.sources[0], 0, shop.points / 8);
    memset(shop.shifts[0], 0, shop.points / 4);
    shop.sources[0][0] = 1;
    shop.shifts[0][shop.points / 8 + 5] = 1;
    for (unsigned quarters = 0; quarters <= 4; quarters++) {
        sg_bit_coefficients source = {shop.sources[0], NULL, 1};
        sg_bit_coefficients shifts = {shop.shifts[0], shop.shifts[0] + shop.points / 8,
                                      (quarters + 0.04) / 4 / (double)shop.points};
        sg_transform_forward(&shop.transform, shop.points, &source, shop.left[0]);
        sg_transform_forward(&shop.transform, shop.points, &shifts, shop.right[0]);
        sg_product pair = {shop.left[0], shop.right[0]};
        sg_counts_quality quality = sg_transform_sum(&shop.transform, shop.points, &pair, 1, shop.sum, shop.marks);
        SG_TRACE("a count of %u quarters and a little", quarters);
        EXPECT_EQ(quality.doubtful, quarters == 1 || quarters == 2);
        double from_integer = quarters == 3 ? 0.24 : quarters == 2 ? 0.49 : quarters == 1 ? 0.26 : 0.01;
        EXPECT_TRUE(quality.distance > from_integer - 0.001 && quality.distance < from_integer + 0.001);
    }
    close_workshop(&shop);
}
