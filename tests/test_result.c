/* Reading results by ranges: every range of every format must be the same slice of the whole, and bad ranges are
 * refused. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A result of each kind, with what the oracle says of it. */
typedef struct sample_case {
    const char *name, *spec;
    sg_mode mode;
    uint64_t n;
    sg_engine engine;
} sample_case;

static const sample_case samples[] = {
    {"squares_cold", "squares", SG_MODE_COLD, 5003, SG_ENGINE_AUTO},
    {"squares_cold_rows", "squares", SG_MODE_COLD, 5003, SG_ENGINE_SPLIT},
    {"random_cold", "random{7,1/64}", SG_MODE_COLD, 4096, SG_ENGINE_AUTO},
    {"squares_nim", "squares", SG_MODE_NIM, 5003, SG_ENGINE_AUTO},
    {"all_nim", "all", SG_MODE_NIM, 1300, SG_ENGINE_DP},
    {"primes_nim", "primes", SG_MODE_NIM, 3001, SG_ENGINE_SPLIT},
    {"squares_remoteness", "squares", SG_MODE_REMOTENESS, 3001, SG_ENGINE_AUTO},
    {"one_remoteness", "powers-of:2", SG_MODE_REMOTENESS, 1000, SG_ENGINE_DP},
    {"one_heap_cold", "squares", SG_MODE_COLD, 1, SG_ENGINE_AUTO},
    {"one_heap_nim", "squares", SG_MODE_NIM, 1, SG_ENGINE_AUTO},
};

static const char *sample_name(size_t i) {
    return samples[i].name;
}

typedef struct expectation {
    uint8_t *cold;
    uint32_t *values; /* NULL for outcomes */
    sg_result *result;
} expectation;

static expectation solve_sample(const sample_case *sample) {
    oracle_game oracle = {.members = oracle_set(sample->spec, sample->n + 1)};
    expectation e = {.cold = calloc(sample->n + 1, 1)};
    ASSERT_TRUE(e.cold);
    oracle_cold(&oracle, sample->n, e.cold);
    if (sample->mode != SG_MODE_COLD) {
        e.values = calloc(sample->n + 1, sizeof *e.values);
        ASSERT_TRUE(e.values);
        if (sample->mode == SG_MODE_NIM)
            oracle_nim(&oracle, sample->n, e.values);
        else
            oracle_remoteness(&oracle, sample->n, e.values);
    }
    e.result = solve_spec(sample->spec, sample->mode, sample->n, (run_layout){.engine = sample->engine});
    oracle_list_free(&oracle.members);
    return e;
}

static void free_expectation(expectation *e) {
    free(e->cold);
    free(e->values);
    sg_result_destroy(e->result);
}

static sg_status read_values(sg_mode mode, const sg_result *result, uint64_t first, size_t count, uint32_t *values) {
    return mode == SG_MODE_NIM ? sg_result_nim(result, first, count, values)
                               : sg_result_remoteness(result, first, count, values);
}

enum { ROUNDS = 400 };

/* The first rounds take the edges: the empty range at both ends, the whole. */
static void random_range(rng *random, size_t round, uint64_t n, uint64_t *first, uint64_t *count) {
    *first = round == 0 ? 0 : round == 1 ? n : round == 2 ? 0 : rng_below(random, n + 1);
    *count = round <= 1 ? 0 : round == 2 ? n : rng_below(random, n - *first + 1);
    if (round % 3 == 0 && *count > 130)
        *count = rng_below(random, 130);
}

SG_TEST_P(Result, EveryRangeOfValuesIsThatSlice, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    rng random = {1};
    uint32_t *values = calloc(param->n + 2, sizeof *values);
    ASSERT_TRUE(values);
    for (size_t round = 0; round < ROUNDS && e.values; round++) {
        uint64_t first, count;
        random_range(&random, round, param->n, &first, &count);
        values[count] = 0xDEADBEEF;
        ASSERT_EQ(read_values(param->mode, e.result, first, count, values), SG_OK);
        EXPECT_MEMEQ(values, e.values + first, count * sizeof *values);
        EXPECT_EQ(values[count], 0xDEADBEEF);
    }
    if (!e.values) { /* outcomes have no values */
        EXPECT_EQ(sg_result_nim(e.result, 0, 1, values), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_remoteness(e.result, 0, 1, values), SG_ERROR_INVALID_ARGUMENT);
    }
    free(values);
    free_expectation(&e);
}

SG_TEST_P(Result, EveryRangeOfColdBitsIsThatSliceWithZeroPadding, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    rng random = {2};
    uint8_t *bits = calloc(param->n / 8 + 3, 1);
    ASSERT_TRUE(bits);
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t first, count;
        random_range(&random, round, param->n, &first, &count);
        size_t bytes = (count + 7) / 8;
        memset(bits, 0xFF, bytes);
        bits[bytes] = 0x5A;
        ASSERT_EQ(sg_result_cold_bits(e.result, first, count, bits), SG_OK);
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < 8 * bytes; i++)
            wrong += (bits[i / 8] >> i % 8 & 1) != (i < count && e.cold[first + i]);
        EXPECT_EQ(wrong, UINT64_C(0));
        EXPECT_EQ(bits[bytes], 0x5A);
    }
    free(bits);
    free_expectation(&e);
}

SG_TEST_P(Result, NextColdFindsEveryColdHeapAndNoOther, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    for (uint64_t from = 0; from < param->n; from++) {
        uint64_t expected = from, heap = 12345;
        while (expected < param->n && !e.cold[expected])
            expected++;
        bool found = sg_result_next_cold(e.result, from, &heap);
        EXPECT_EQ(found, expected < param->n);
        EXPECT_EQ(heap, found ? expected : 12345);
    }
    uint64_t heap = 12345;
    EXPECT_FALSE(sg_result_next_cold(e.result, param->n, &heap));
    EXPECT_FALSE(sg_result_next_cold(e.result, UINT64_MAX, &heap));
    EXPECT_EQ(heap, UINT64_C(12345));
    free_expectation(&e);
}

SG_TEST_P(Result, HistogramAndFirstHeapsCountTheValues, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    uint64_t counts[2000], heaps[2000];
    if (!e.values) {
        EXPECT_EQ(sg_result_histogram(e.result, counts, 2000), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_first_heaps(e.result, heaps, 2000), SG_ERROR_INVALID_ARGUMENT);
        free_expectation(&e);
        return;
    }
    uint64_t full = info_of(e.result).max_value + 1;
    ASSERT_TRUE(full < 1990);
    uint64_t capacities[] = {full, full + 5, full / 2 + 1, 1};
    for (size_t c = 0; c < 4; c++) {
        uint64_t capacity = capacities[c];
        counts[capacity] = heaps[capacity] = 77;
        ASSERT_EQ(sg_result_histogram(e.result, counts, capacity), SG_OK);
        ASSERT_EQ(sg_result_first_heaps(e.result, heaps, capacity), SG_OK);
        for (uint64_t v = 0; v < capacity; v++) {
            uint64_t count = 0, first = UINT64_MAX;
            for (uint64_t p = param->n; p-- > 0;)
                if (e.values[p] == v) {
                    count++;
                    first = p;
                }
            EXPECT_EQ(counts[v], count);
            EXPECT_EQ(heaps[v], first);
        }
        EXPECT_EQ(counts[capacity], UINT64_C(77));
        EXPECT_EQ(heaps[capacity], UINT64_C(77));
    }
    free_expectation(&e);
}

SG_TEST_P(Result, RawBytesByAnyRangeAreTheWholeAndHashToTheFingerprint, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    if (e.values)
        expect_values(e.result, e.values, param->n);
    else
        expect_cold(e.result, e.cold, param->n);
    uint64_t bytes = sg_result_raw_bytes(e.result);
    EXPECT_EQ(bytes, e.values ? 2 * param->n : (param->n + 7) / 8);
    uint8_t *whole = calloc(bytes + 1, 1), *part = calloc(bytes + 1, 1);
    ASSERT_TRUE(whole && part);
    ASSERT_EQ(sg_result_raw(e.result, 0, bytes, whole), SG_OK);
    rng random = {3};
    for (size_t round = 0; round < ROUNDS; round++) { /* offsets within values, too */
        uint64_t first, count;
        random_range(&random, round, bytes, &first, &count);
        part[count] = 0x5A;
        ASSERT_EQ(sg_result_raw(e.result, first, count, part), SG_OK);
        EXPECT_MEMEQ(part, whole + first, count);
        EXPECT_EQ(part[count], 0x5A);
    }
    uint64_t fingerprint = 0;
    EXPECT_EQ(sg_result_fingerprint(e.result, &fingerprint), SG_OK);
    EXPECT_EQ(fingerprint, xxh3_of(whole, bytes));
    free(whole);
    free(part);
    free_expectation(&e);
}

/* u32 raw: the smallest game that needs it cheaply is remoteness of {1}. */
SG_TEST(Result, RawRangesOfU32ValuesMayBeginInsideAValue) {
    uint64_t n = 65600;
    sg_result *result = solve_spec("{1}", SG_MODE_REMOTENESS, n, (run_layout){0});
    ASSERT_EQ(sg_result_raw_value_bytes(result), 4);
    ASSERT_EQ(sg_result_raw_bytes(result), 4 * n);
    uint8_t *whole = calloc(4 * n, 1), part[512];
    ASSERT_TRUE(whole);
    for (uint64_t p = 0; p < n; p++)
        for (int byte = 0; byte < 4; byte++)
            whole[4 * p + byte] = (uint8_t)(p >> 8 * byte);
    rng random = {4};
    for (size_t round = 0; round < 2000; round++) {
        uint64_t count = rng_below(&random, sizeof part + 1), first = rng_below(&random, 4 * n - count + 1);
        ASSERT_EQ(sg_result_raw(result, first, count, part), SG_OK);
        EXPECT_MEMEQ(part, whole + first, count);
    }
    uint64_t fingerprint = 0;
    EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
    EXPECT_EQ(fingerprint, xxh3_of(whole, 4 * n));
    free(whole);
    sg_result_destroy(result);
}

SG_TEST_P(Result, RangesThatLeaveTheResultAreRefusedAndWriteNothing, sample_case, samples, sample_name) {
    expectation e = solve_sample(param);
    uint64_t n = param->n, bytes = sg_result_raw_bytes(e.result);
    static const uint64_t beyond[] = {1, 2, 1000, UINT64_MAX / 2};
    uint8_t buffer[16] = {0xEE};
    uint32_t values[4] = {0xEEEEEEEE};
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(sg_result_cold_bits(e.result, n + beyond[i], 0, buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_cold_bits(e.result, n, beyond[i], buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_cold_bits(e.result, 0, n + beyond[i], buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_raw(e.result, bytes + beyond[i], 0, buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_raw(e.result, bytes, beyond[i], buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(sg_result_raw(e.result, 0, bytes + beyond[i], buffer), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(read_values(param->mode, e.result, n, beyond[i], values), SG_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(read_values(param->mode, e.result, n + beyond[i], 0, values), SG_ERROR_INVALID_ARGUMENT);
    }
    /* first + count wraps to a small number */
    EXPECT_EQ(sg_result_cold_bits(e.result, UINT64_MAX, 2, buffer), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_cold_bits(e.result, 1, SIZE_MAX, buffer), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_raw(e.result, UINT64_MAX, 2, buffer), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_raw(e.result, 1, SIZE_MAX, buffer), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(read_values(param->mode, e.result, UINT64_MAX, 2, values), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(read_values(param->mode, e.result, 1, SIZE_MAX, values), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(buffer[0], 0xEE);
    EXPECT_EQ(values[0], 0xEEEEEEEE);
    free_expectation(&e);
}

SG_TEST(Result, ValuesOfTheOtherModeAreRefused) {
    uint32_t value = 9;
    sg_result *nim = solve_spec("squares", SG_MODE_NIM, 100, (run_layout){0});
    sg_result *remoteness = solve_spec("squares", SG_MODE_REMOTENESS, 100, (run_layout){0});
    EXPECT_EQ(sg_result_remoteness(nim, 0, 1, &value), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_nim(remoteness, 0, 1, &value), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(value, 9);
    sg_result_destroy(nim);
    sg_result_destroy(remoteness);
}

SG_TEST(Result, NullPointersAreRefused) {
    sg_result *result = solve_spec("squares", SG_MODE_NIM, 100, (run_layout){0});
    sg_result_info info = {.struct_size = sizeof info};
    uint32_t value;
    uint64_t number;
    uint8_t byte;
    EXPECT_EQ(sg_result_get_info(NULL, &info), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_get_info(result, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_nim(NULL, 0, 1, &value), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_nim(result, 0, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_remoteness(NULL, 0, 1, &value), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_cold_bits(NULL, 0, 1, &byte), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_cold_bits(result, 0, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_histogram(NULL, &number, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_histogram(result, NULL, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_first_heaps(NULL, &number, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_first_heaps(result, NULL, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_raw(NULL, 0, 1, &byte), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_raw(result, 0, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_fingerprint(NULL, &number), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_result_fingerprint(result, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(sg_result_next_cold(NULL, 0, &number));
    sg_result_destroy(NULL);
    sg_result_destroy(result);
}

SG_TEST(Result, InfoIsRefusedWithoutASizeAndNeverWritesPastIt) {
    sg_result *result = solve_spec("squares", SG_MODE_COLD, 100, (run_layout){0});
    sg_result_info info = {.struct_size = 0};
    EXPECT_EQ(sg_result_get_info(result, &info), SG_ERROR_INVALID_ARGUMENT);
    memset(&info, 0x5A, sizeof info);
    info.struct_size = offsetof(sg_result_info, rows); /* as an older program would pass it */
    sg_status status = sg_result_get_info(result, &info);
    const uint8_t *bytes = (const uint8_t *)&info;
    for (size_t i = offsetof(sg_result_info, rows); i < sizeof info; i++)
        EXPECT_EQ(bytes[i], 0x5A);
    if (status == SG_OK)
        EXPECT_EQ(info.n, UINT64_C(100));
    sg_result_destroy(result);
}

SG_TEST(Result, InfoSaysWhatRan) {
    sg_result *result = solve_spec("squares", SG_MODE_COLD, 10000, (run_layout){SG_ENGINE_SPLIT, 5, 512, 2, 0, 0});
    sg_result_info info = info_of(result);
    EXPECT_EQ(info.struct_size, sizeof info);
    EXPECT_EQ(info.mode, SG_MODE_COLD);
    EXPECT_EQ(info.engine, SG_ENGINE_SPLIT);
    EXPECT_EQ(info.backend, SG_BACKEND_CPU);
    EXPECT_EQ(info.threads, 2);
    EXPECT_EQ(info.n, UINT64_C(10000));
    EXPECT_EQ(info.rows, UINT64_C(5));
    EXPECT_EQ(info.base_threshold_pos, UINT64_C(512));
    EXPECT_EQ(info.value_bytes, 0);
    EXPECT_EQ(info.member_count, UINT64_C(99));
    uint64_t options = 0;
    for (uint64_t k = 1; k < 100; k++)
        options += 10000 - k * k;
    EXPECT_EQ(info.option_count, options);
    EXPECT_EQ(info.max_value, UINT64_C(0));
    EXPECT_TRUE(info.device && info.device[0]);
    EXPECT_TRUE(info.instruction_set && info.instruction_set[0]);
    EXPECT_LT(UINT64_C(0), info.peak_bytes);
    EXPECT_TRUE(info.seconds_set >= 0 && info.seconds_solve > 0 && info.seconds_summary >= 0);
    sg_result_destroy(result);

    static const sg_engine engines[] = {SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_AUTO};
    for (size_t e = 0; e < 3; e++) {
        result = solve_spec("squares", SG_MODE_NIM, 10000, (run_layout){.engine = engines[e]});
        info = info_of(result);
        EXPECT_EQ(info.mode, SG_MODE_NIM);
        EXPECT_NE(info.engine, SG_ENGINE_AUTO);
        if (engines[e] != SG_ENGINE_AUTO)
            EXPECT_EQ(info.engine, engines[e]);
        EXPECT_LE(1, info.value_bytes);
        sg_result_destroy(result);
    }
}

/* A result outlives its game and its context. */
SG_TEST(Result, StaysValidAfterGameAndContextAreGone) {
    sg_context *context = NULL;
    sg_game *game = NULL;
    sg_result *result = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    ASSERT_EQ(sg_game_create(context, "squares", &game), SG_OK);
    ASSERT_EQ(sg_solve(context, game, SG_MODE_COLD, 20000, NULL, &result), SG_OK);
    sg_game_destroy(game);
    sg_context_destroy(context);
    EXPECT_EQ(info_of(result).cold_count, UINT64_C(911));
    uint64_t heap = 0;
    EXPECT_TRUE(sg_result_next_cold(result, 3, &heap));
    EXPECT_EQ(heap, UINT64_C(5));
    sg_result_destroy(result);
}
