/* The device's operators on nim-values, one by one: windows of far options and of nodes, base cases, and what results
 * ask of finished values, against loops by the definition. Values are planted, so that windows, sets and widths meet
 * every edge; sizes lie around those of tiles and warps. */
#include "checks.h"
#include "nim_backend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAPS = 3000, LEAF_POS = 3000, MOST_MEMBERS = 700 };

typedef struct nim_bench {
    sg_device device;
    const sg_nim_operators *operators;
    sg_memory memory;
    sg_members members;
    uint64_t list[MOST_MEMBERS];
    uint32_t values[HEAPS]; /* as planted */
    sg_window windows[HEAPS];
    sg_nim_field *field;
} nim_bench;

static sg_device test_device(void) {
    sg_device device;
    if (sg_backend_find(test_context(), SG_BACKEND_CUDA, 0, &device) != SG_OK)
        end_without_device(sg_last_error(test_context()));
    return device;
}

/* Members of rising size, about one in `gap`, from `least` on. */
static void draw_members(nim_bench *bench, rng *random, uint64_t least, uint64_t gap) {
    uint64_t s = least;
    bench->members = (sg_members){.limit = HEAPS, .list = bench->list};
    for (; bench->members.count < MOST_MEMBERS && s < HEAPS; s += rng_between(random, 1, 2 * gap - 1))
        bench->list[bench->members.count++] = s;
    bench->members.smallest = bench->list[0];
}

static nim_bench *open_bench(rng *random, unsigned value_bytes, uint64_t least, uint64_t gap) {
    nim_bench *bench = calloc(1, sizeof *bench);
    ASSERT_TRUE(bench);
    bench->device = test_device();
    bench->operators = bench->device.operators->nim;
    sg_memory_init(&bench->memory, test_context(), 0);
    draw_members(bench, random, least, gap);
    sg_nim_spec spec = {
        .device = &bench->device,
        .shape = {.n = HEAPS, .member_count = bench->members.count, .value_bytes = value_bytes, .leaf_pos = LEAF_POS},
        .members = &bench->members,
        .memory = &bench->memory};
    ASSERT_EQ(bench->operators->open(&spec, &bench->field), SG_OK);
    return bench;
}

static void close_bench(nim_bench *bench) {
    EXPECT_EQ(bench->operators->close(bench->field), SG_OK);
    EXPECT_EQ(bench->memory.held_bytes, 0u);
    free(bench);
}

/* Plants random values below `limit` in heap sizes 0 .. count-1, and lets the field know the largest. */
static void plant(nim_bench *bench, rng *random, uint64_t count, uint32_t limit) {
    sg_nim_progress progress;
    uint32_t largest = 0;
    for (uint64_t p = 0; p < count; p++) {
        bench->values[p] = (uint32_t)rng_below(random, limit);
        largest = bench->values[p] > largest ? bench->values[p] : largest;
    }
    ASSERT_EQ(bench->operators->store_values(bench->field, 0, count, bench->values), SG_OK);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    EXPECT_EQ(progress.stuck, UINT64_MAX);
    EXPECT_LE(largest, progress.largest);
}

/* Whether heap size p has an option of this value in first .. end-1. */
static bool *seen_values(const nim_bench *bench, uint64_t p, uint64_t first, uint64_t end, uint32_t limit) {
    bool *seen = calloc((size_t)limit + 2 * SG_WINDOW_VALUES, sizeof *seen);
    ASSERT_TRUE(seen);
    for (uint64_t i = 0; i < bench->members.count && bench->list[i] <= p; i++) {
        uint64_t option = p - bench->list[i];
        if (option >= first && option < end)
            seen[bench->values[option]] = true;
    }
    return seen;
}

static bool in_window(const sg_window *window, uint32_t at) {
    return window->seen[at / 32] >> at % 32 & 1;
}

/* Whether the window says that an option has this value, which lies in it or below. */
static bool says_seen(const sg_window *window, uint32_t value) {
    if (value >= window->base)
        return in_window(window, value - window->base);
    for (unsigned h = 0; h < SG_WINDOW_HOLES; h++)
        if (window->holes[h] == value)
            return false;
    return true;
}

/* The window of p must tell of each value up to its end, by the options in first .. known-1. */
static void expect_window(const nim_bench *bench, const sg_window *window, uint64_t p, uint64_t first, uint64_t known,
                          uint32_t limit) {
    bool *seen = seen_values(bench, p, first, known, limit);
    SG_TRACE("heap size %" PRIu64 ", base %" PRIu32, p, window->base);
    for (uint32_t value = 0; value < window->base + SG_WINDOW_VALUES; value++)
        ASSERT_EQ(says_seen(window, value), value < limit && seen[value]);
    free(seen);
}

/* Of far options alone, where nothing was marked yet: the holes rise, and the base is missing. */
static void expect_unmarked(const sg_window *window) {
    for (unsigned h = 0; h + 1 < SG_WINDOW_HOLES; h++)
        ASSERT_TRUE(window->holes[h] < window->holes[h + 1] || window->holes[h + 1] == SG_WINDOW_NO_VALUE);
    ASSERT_FALSE(in_window(window, 0));
}

typedef struct far_case {
    const char *name;
    unsigned value_bytes;
    uint32_t limit; /* of values: few members see few of many, many members see all of few */
    uint64_t least;
    uint64_t gap;
} far_case;

static const far_case far_cases[] = {
    {"few_values", 2, 40, 1, 4},           {"window_edge", 2, 96, 1, 4},
    {"past_window", 2, 97, 3, 4},          {"many_values", 2, 300, 1, 4},
    {"past_the_set", 2, 700, 1, 1},        {"sparse", 2, 65535, 1, 90},
    {"four_bytes", 4, 300, 2, 4},          {"four_bytes_past_the_set", 4, 600, 1, 1},
    {"no_member_reaches", 2, 40, 2990, 4},
};

static const char *far_name(size_t i) {
    return far_cases[i].name;
}

SG_TEST_P(NimOperator, FarOptionsGiveTheirWindows, far_case, far_cases, far_name) {
    static const uint64_t lengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300};
    rng random = {8000 + (uint64_t)(param - far_cases)};
    nim_bench *bench = open_bench(&random, param->value_bytes, param->least, param->gap);
    plant(bench, &random, HEAPS, param->limit);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i += scaled(1, 3)) {
        uint64_t length = lengths[i], most = bench->operators->block_pos(bench->field);
        if (length > most)
            length = most;
        uint64_t first = i == 0 ? 0 : rng_below(&random, HEAPS - length), end = first + length;
        uint64_t known = rng_chance(&random, 1, 3) ? rng_below(&random, first + 1) : first;
        unsigned slot = (unsigned)(i % SG_NIM_SLOTS);
        SG_TRACE("heap sizes %" PRIu64 " to %" PRIu64 ", known below %" PRIu64, first, end, known);
        ASSERT_EQ(bench->operators->far(bench->field, slot, first, end, known), SG_OK);
        ASSERT_EQ(bench->operators->fetch_windows(bench->field, slot, first, end, bench->windows), SG_OK);
        for (uint64_t p = first; p < end; p++) {
            expect_window(bench, &bench->windows[p - first], p, 0, known, param->limit);
            expect_unmarked(&bench->windows[p - first]);
        }
    }
    close_bench(bench);
}

/* Without far options all values are missing; a node adds just its own. */
SG_TEST(NimOperator, NodesMarkTheirSourcesInTheWindows) {
    static const uint64_t lengths[] = {1, 2, 31, 33, 63, 64, 65, 129, 200};
    rng random = {8100};
    for (unsigned value_bytes = 2; value_bytes <= 4; value_bytes += 2) {
        nim_bench *bench = open_bench(&random, value_bytes, 1, 3);
        plant(bench, &random, HEAPS, 300);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            uint64_t length = lengths[i], first = rng_between(&random, 500, HEAPS - 400);
            uint64_t target = first + length, end = target + rng_between(&random, 1, length);
            ASSERT_EQ(bench->operators->far(bench->field, 0, target, end, 0), SG_OK);
            ASSERT_EQ(bench->operators->cross(bench->field, 0, &(sg_node){first, length, target, end}), SG_OK);
            ASSERT_EQ(bench->operators->fetch_windows(bench->field, 0, target, end, bench->windows), SG_OK);
            for (uint64_t p = target; p < end; p++) {
                SG_TRACE("node %" PRIu64 " + %" PRIu64, first, length);
                EXPECT_EQ(bench->windows[p - target].base, (uint32_t)SG_WINDOW_HOLES);
                expect_window(bench, &bench->windows[p - target], p, first, target, 300);
            }
        }
        close_bench(bench);
    }
}

/* The values of a base case after planted ones; returns how many are decided before a window is full. */
static uint64_t solve_base_case(nim_bench *bench, uint64_t first, uint64_t end, uint32_t limit) {
    for (uint64_t p = first; p < end; p++) {
        bool *far = seen_values(bench, p, 0, first, limit), *near = seen_values(bench, p, first, p, limit);
        uint32_t base = 0, mex = 0;
        for (unsigned holes = 0; far[base] || holes < SG_WINDOW_HOLES; base++)
            holes += !far[base];
        while (mex < base + SG_WINDOW_VALUES && (far[mex] || near[mex]))
            mex++;
        bench->values[p] = mex;
        bool is_full = mex == base + SG_WINDOW_VALUES;
        free(far);
        free(near);
        if (is_full)
            return p - first;
    }
    return end - first;
}

typedef struct near_case {
    const char *name;
    unsigned value_bytes;
    uint32_t planted_limit;
    uint64_t gap;
    bool gets_stuck;
} near_case;

static const near_case near_cases[] = {
    {"sparse", 2, 20, 40, false},
    {"middling", 2, 60, 6, false},
    {"dense", 4, 30, 2, false},
    {"everything", 2, 300, 1, true},
};

static const char *near_name(size_t i) {
    return near_cases[i].name;
}

SG_TEST_P(NimOperator, BaseCasesAreDecidedInOrderUntilAWindowIsFull, near_case, near_cases, near_name) {
    static const uint64_t lengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 257};
    enum { LIMIT = HEAPS };
    rng random = {8200 + (uint64_t)(param - near_cases)};
    bool was_stuck = false;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i += scaled(1, 3)) {
        nim_bench *bench = open_bench(&random, param->value_bytes, 1, param->gap);
        uint64_t first = rng_between(&random, 1, 600), most = bench->operators->block_pos(bench->field);
        uint64_t end = first + (lengths[i] < most ? lengths[i] : most);
        sg_nim_progress progress;
        plant(bench, &random, first, param->planted_limit);
        ASSERT_EQ(bench->operators->far(bench->field, 1, first, end, first), SG_OK);
        ASSERT_EQ(bench->operators->near(bench->field, 1, first, end), SG_OK);
        ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
        uint64_t decided = solve_base_case(bench, first, end, LIMIT), largest = 0;
        SG_TRACE("heap sizes %" PRIu64 " to %" PRIu64 ", %" PRIu64 " of them decided", first, end, decided);
        EXPECT_EQ(progress.stuck, first + decided < end ? first + decided : UINT64_MAX);
        for (uint64_t p = 0; p < first + decided; p++)
            largest = bench->values[p] > largest ? bench->values[p] : largest;
        EXPECT_EQ(progress.largest, largest);
        was_stuck |= first + decided < end;

        /* Once stuck, nothing more happens until that was reported. */
        sg_values values;
        ASSERT_EQ(bench->operators->finish(bench->field, &values), SG_OK);
        uint32_t *computed = calloc(HEAPS, sizeof *computed);
        EXPECT_EQ(sg_values_read(&values, 0, first + decided, computed), SG_OK);
        EXPECT_MEMEQ((const uint8_t *)computed, (const uint8_t *)bench->values, sizeof *computed * (first + decided));
        free(computed);
        sg_values_close(&values, NULL);
        close_bench(bench);
    }
    EXPECT_EQ(was_stuck, param->gets_stuck);
}

SG_TEST(NimOperator, NothingIsDecidedAfterAHeapSizeThatIsStuck) {
    rng random = {8300};
    nim_bench *bench = open_bench(&random, 2, 1, 1);
    sg_nim_progress progress;
    sg_values values;
    uint32_t after = 1;
    plant(bench, &random, 300, 1); /* whose mex is 1 */
    for (uint64_t p = 300; p < HEAPS; p++)
        bench->values[p] = 7;
    ASSERT_EQ(bench->operators->store_values(bench->field, 300, HEAPS - 300, bench->values + 300), SG_OK);
    uint64_t most = bench->operators->block_pos(bench->field), end = 300 + (most < 200 ? most : 200);
    ASSERT_EQ(bench->operators->far(bench->field, 0, 300, end, 300), SG_OK);
    ASSERT_EQ(bench->operators->near(bench->field, 0, 300, end - 1), SG_OK); /* stuck past its window */
    ASSERT_EQ(bench->operators->cross(bench->field, 0, &(sg_node){300, end - 301, end - 1, end}), SG_OK);
    ASSERT_EQ(bench->operators->near(bench->field, 0, end - 1, end), SG_OK);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    EXPECT_EQ(progress.stuck, 300u + SG_WINDOW_HOLES + SG_WINDOW_VALUES);
    EXPECT_FALSE(progress.is_too_wide);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    EXPECT_EQ(progress.stuck, UINT64_MAX);
    ASSERT_EQ(bench->operators->finish(bench->field, &values), SG_OK);
    EXPECT_EQ(sg_values_read(&values, end - 1, 1, &after), SG_OK);
    EXPECT_EQ(after, 7u);
    sg_values_close(&values, NULL);
    close_bench(bench);
}

/* 65535 fits in two bytes and 65536 does not. The options of one heap size are all values below. */
SG_TEST(NimOperator, AValueThatDoesNotFitItsWidthIsReported) {
    enum { ALL = 65537 };
#ifdef SG_TEST_EMULATED
    SG_SKIP("sets of the emulation's size need hundreds of passes over 65536 options");
#endif
    nim_bench *bench = calloc(1, sizeof *bench);
    uint64_t *list = calloc(ALL, sizeof *list);
    uint32_t *planted = calloc(ALL, sizeof *planted);
    ASSERT_TRUE(bench && list && planted);
    bench->device = test_device();
    bench->operators = bench->device.operators->nim;
    sg_memory_init(&bench->memory, test_context(), 0);
    for (uint64_t i = 0; i < ALL; i++) {
        list[i] = i + 1;
        planted[i] = (uint32_t)i;
    }
    bench->members = (sg_members){.limit = ALL, .count = ALL - 1, .smallest = 1, .list = list};
    sg_nim_spec spec = {.device = &bench->device,
                        .shape = {.n = ALL, .member_count = ALL - 1, .value_bytes = 2, .leaf_pos = ALL},
                        .members = &bench->members,
                        .memory = &bench->memory};
    sg_nim_progress progress;
    sg_values values;
    ASSERT_EQ(bench->operators->open(&spec, &bench->field), SG_OK);
    ASSERT_EQ(bench->operators->store_values(bench->field, 0, ALL - 2, planted), SG_OK);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    ASSERT_EQ(bench->operators->far(bench->field, 0, ALL - 2, ALL, ALL - 2), SG_OK);
    ASSERT_EQ(bench->operators->near(bench->field, 0, ALL - 2, ALL), SG_OK);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    EXPECT_EQ(progress.stuck, (uint64_t)ALL - 1);
    EXPECT_TRUE(progress.is_too_wide);
    EXPECT_EQ(progress.largest, 65535u);
    ASSERT_EQ(bench->operators->widen(bench->field), SG_OK);
    ASSERT_EQ(bench->operators->far(bench->field, 0, ALL - 1, ALL, ALL - 1), SG_OK);
    ASSERT_EQ(bench->operators->near(bench->field, 0, ALL - 1, ALL), SG_OK);
    ASSERT_EQ(bench->operators->progress(bench->field, &progress), SG_OK);
    EXPECT_EQ(progress.stuck, UINT64_MAX);
    EXPECT_EQ(progress.largest, 65536u);
    EXPECT_EQ(bench->operators->widen(bench->field), SG_ERROR_OVERFLOW);
    ASSERT_EQ(bench->operators->finish(bench->field, &values), SG_OK);
    sg_values_close(&values, NULL);
    close_bench(bench);
    free(list);
    free(planted);
}

SG_TEST(NimOperator, WideningKeepsEveryValue) {
    rng random = {8400};
    nim_bench *bench = open_bench(&random, 2, 1, 5);
    uint32_t *kept = calloc(HEAPS, sizeof *kept);
    sg_values values;
    plant(bench, &random, HEAPS, 65536);
    ASSERT_EQ(bench->operators->widen(bench->field), SG_OK);
    ASSERT_EQ(bench->operators->finish(bench->field, &values), SG_OK);
    EXPECT_EQ(values.bytes, 4u);
    EXPECT_EQ(sg_values_read(&values, 0, HEAPS, kept), SG_OK);
    EXPECT_MEMEQ((const uint8_t *)kept, (const uint8_t *)bench->values, sizeof *kept * HEAPS);
    free(kept);
    sg_values_close(&values, NULL);
    close_bench(bench);
}

static void expect_tallies(const nim_bench *bench, const sg_values *values, uint64_t capacity) {
    uint64_t *counts = calloc(capacity, 8), *heaps = calloc(capacity, 8);
    uint64_t *right_counts = calloc(capacity, 8), *right_heaps = malloc(8 * capacity);
    ASSERT_TRUE(counts && heaps && right_counts && right_heaps);
    memset(right_heaps, 0xff, 8 * capacity);
    for (uint64_t p = HEAPS; p-- > 0;)
        if (bench->values[p] < capacity) {
            right_counts[bench->values[p]]++;
            right_heaps[bench->values[p]] = p;
        }
    EXPECT_EQ(values->store->operators->histogram(test_context(), values->store, counts, capacity), SG_OK);
    EXPECT_EQ(values->store->operators->first_heaps(test_context(), values->store, heaps, capacity), SG_OK);
    EXPECT_MEMEQ((const uint8_t *)counts, (const uint8_t *)right_counts, 8 * capacity);
    EXPECT_MEMEQ((const uint8_t *)heaps, (const uint8_t *)right_heaps, 8 * capacity);
    free(counts);
    free(heaps);
    free(right_counts);
    free(right_heaps);
}

/* Finished values: ranges in every width, single ones, tallies past one pass, the bits of the cold ones. */
SG_TEST(NimOperator, FinishedValuesAreReadWithoutACopy) {
    static const uint32_t limits[] = {2, 31, 33, 700};
    rng random = {8500};
    for (size_t i = 0; i < 4; i++) {
        nim_bench *bench = open_bench(&random, i % 2 ? 4 : 2, 1, 5);
        uint32_t *read = calloc(HEAPS, sizeof *read);
        uint64_t *heaps = calloc(HEAPS, sizeof *heaps), bits[HEAPS / 64 + 1] = {0};
        sg_values values;
        plant(bench, &random, HEAPS, limits[i]);
        ASSERT_EQ(bench->operators->finish(bench->field, &values), SG_OK);
        for (unsigned round = 0; round < 20; round++) {
            uint64_t first = rng_below(&random, HEAPS + 1), count = rng_below(&random, HEAPS + 1 - first);
            ASSERT_EQ(sg_values_read(&values, first, count, read), SG_OK);
            EXPECT_MEMEQ((const uint8_t *)read, (const uint8_t *)(bench->values + first), sizeof *read * count);
            for (uint64_t k = 0; k < count; k++)
                heaps[k] = rng_below(&random, HEAPS);
            ASSERT_EQ(sg_values_pick(&values, heaps, count, read), SG_OK);
            for (uint64_t k = 0; k < count; k++)
                ASSERT_EQ(read[k], bench->values[heaps[k]]);
        }
        expect_tallies(bench, &values, 1);
        expect_tallies(bench, &values, 32);
        expect_tallies(bench, &values, 100);
        ASSERT_EQ(values.store->operators->zero_bits(test_context(), values.store, bits), SG_OK);
        for (uint64_t p = 0; p < 64 * (HEAPS / 64 + 1); p++)
            ASSERT_EQ(bits[p / 64] >> p % 64 & 1, (uint64_t)(p < HEAPS && bench->values[p] == 0));
        free(read);
        free(heaps);
        sg_values_close(&values, NULL);
        close_bench(bench);
    }
}
