/* The reference facts of facts.h, under every engine that can serve the mode. The large sizes are in test_slow.c. */
#include "checks.h"
#include "facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sg_engine cold_engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_SIEVE, SG_ENGINE_SPLIT,
                                         SG_ENGINE_CONVOLUTION};
static const sg_engine nim_engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_SPLIT,
                                        SG_ENGINE_CONVOLUTION};

static const char *cold_engine_name(size_t i) {
    return sg_engine_name(cold_engines[i]);
}
static const char *nim_engine_name(size_t i) {
    return sg_engine_name(nim_engines[i]);
}

static uint64_t count_cold_below(const sg_result *result, uint64_t below) {
    uint64_t count = 0, heap;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap) && heap < below; from = heap + 1)
        count++;
    return count;
}

/* ---------------------------------------------------------------- squares */

SG_TEST_P(FactsSquares, ColdCountsAndFingerprintAreTheKnownOnes, sg_engine, cold_engines, cold_engine_name) {
    uint64_t n = *param == SG_ENGINE_CONVOLUTION ? scaled(1 << 20, 1 << 16)
                 : *param == SG_ENGINE_DP        ? scaled(1 << 22, 1 << 18)
                                                 : scaled(1 << 24, 1 << 20);
    sg_result *result = solve_spec("squares", SG_MODE_COLD, n, (run_layout){.engine = *param});
    size_t checked = 0;
    for (size_t i = 0; i < SQUARES_COLD_COUNTS; i++)
        if (squares_cold_count[i].below <= n) {
            EXPECT_EQ(count_cold_below(result, squares_cold_count[i].below), squares_cold_count[i].value);
            checked++;
        }
    EXPECT_LE(1u, checked);
    if (n == 1 << 24) {
        uint64_t fingerprint = 0;
        EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
        EXPECT_EQ(fingerprint, SQUARES_COLD_FINGERPRINT_2_24);
        EXPECT_EQ(info_of(result).cold_count, UINT64_C(100145));
    }
    uint64_t heap = 0, from = 0;
    for (size_t i = 0; i < squares_cold_first.count; i++, from = heap + 1) {
        ASSERT_TRUE(sg_result_next_cold(result, from, &heap));
        EXPECT_EQ(heap, squares_cold_first.items[i]);
    }
    sg_result_destroy(result);
}

SG_TEST(FactsSquares, OnlyOneColdHeapEndsInSix) {
    sg_result *result = solve_spec("squares", SG_MODE_COLD, scaled(1 << 24, 1 << 20), (run_layout){0});
    uint64_t heap, ending_in_6 = 0;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1)
        if (heap % 10 == 6) {
            EXPECT_EQ(heap, SQUARES_ONLY_COLD_ENDING_IN_6);
            ending_in_6++;
        }
    EXPECT_EQ(ending_in_6, UINT64_C(1));
    sg_result_destroy(result);
}

SG_TEST_P(FactsSquares, NimValuesMaximaSumsAndFingerprintAreTheKnownOnes, sg_engine, nim_engines, nim_engine_name) {
    bool by_levels = *param == SG_ENGINE_SPLIT || *param == SG_ENGINE_CONVOLUTION;
    uint64_t n = by_levels ? scaled(1 << 16, 20000) : scaled(1 << 20, 1 << 16);
    sg_result *result = solve_spec("squares", SG_MODE_NIM, n, (run_layout){.engine = *param});
    uint32_t *nim = values_of_result(result, n);
    for (size_t i = 0; i < squares_nim_first.count; i++)
        EXPECT_EQ(nim[i], squares_nim_first.items[i]);
    for (size_t i = 0; i < SQUARES_MAX_NIMS; i++) {
        const fact_maximum *fact = &squares_max_nim[i];
        if (fact->below > n)
            continue;
        uint64_t max_nim = 0, at = 0;
        for (uint64_t p = 0; p < fact->below; p++)
            if (nim[p] > max_nim) {
                max_nim = nim[p];
                at = p;
            }
        EXPECT_EQ(max_nim, fact->max_nim);
        EXPECT_EQ(at, fact->at);
        if (fact->below == n) {
            EXPECT_EQ(info_of(result).max_value, fact->max_nim);
            EXPECT_EQ(info_of(result).max_value_at, fact->at);
        }
    }
    for (size_t i = 0; i < SQUARES_NIM_SUMS; i++) {
        uint64_t sum = 0;
        for (uint64_t p = 0; p < squares_nim_sum[i].below && squares_nim_sum[i].below <= n; p++)
            sum += nim[p];
        if (squares_nim_sum[i].below <= n)
            EXPECT_EQ(sum, squares_nim_sum[i].value);
    }
    if (n == 1 << 20) {
        uint64_t fingerprint = 0;
        EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
        EXPECT_EQ(fingerprint, SQUARES_NIM_FINGERPRINT_2_20);
    }
    free(nim);
    sg_result_destroy(result);
}

SG_TEST(FactsSquares, RemotenessIsA338027) {
    uint64_t n = squares_remoteness_first.count;
    sg_result *result = solve_spec("squares", SG_MODE_REMOTENESS, n, (run_layout){0});
    uint32_t *remoteness = values_of_result(result, n);
    for (size_t i = 0; i < n; i++)
        EXPECT_EQ(remoteness[i], squares_remoteness_first.items[i]);
    free(remoteness);
    sg_result_destroy(result);
}

SG_TEST_P(FactsSquares, MisereColdHeapsAreA224839, sg_engine, cold_engines, cold_engine_name) {
    sg_game *game = game_of_spec("squares");
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    sg_result *result = solve(game, SG_MODE_COLD, 59, (run_layout){.engine = *param});
    EXPECT_EQ(info_of(result).cold_count, squares_misere_cold_first.count);
    uint64_t heap = 0, from = 0;
    for (size_t i = 0; i < squares_misere_cold_first.count; i++, from = heap + 1) {
        ASSERT_TRUE(sg_result_next_cold(result, from, &heap));
        EXPECT_EQ(heap, squares_misere_cold_first.items[i]);
    }
    EXPECT_FALSE(sg_result_next_cold(result, from, &heap));
    sg_result_destroy(result);
    sg_game_destroy(game);
}

SG_TEST(FactsSquares, LostTriplesAreThoseOfProjectEuler310) {
    sg_result *result = solve_spec("squares", SG_MODE_NIM, 30, (run_layout){0});
    uint32_t *nim = values_of_result(result, 30);
    int lost = 0;
    for (int a = 0; a < 30; a++)
        for (int b = a; b < 30; b++)
            for (int c = b; c < 30; c++)
                lost += (nim[a] ^ nim[b] ^ nim[c]) == 0;
    EXPECT_EQ(lost, SQUARES_LOST_TRIPLES_TO_29);
    free(nim);
    sg_result_destroy(result);
}

/* ---------------------------------------------------------------- sets below 20000 */

/* Every named set with every engine of a mode: index = set * engines + engine. */
enum { FACT_ENGINES = 5 };
static const char *set_and_engine_name(size_t i, const sg_engine *engines) {
    static char text[64];
    snprintf(text, sizeof text, "%s_%s", sets_below_20000[i / FACT_ENGINES].spec,
             sg_engine_name(engines[i % FACT_ENGINES]));
    return text;
}
static const char *cold_case_name(size_t i) {
    return set_and_engine_name(i, cold_engines);
}
static const char *nim_case_name(size_t i) {
    return set_and_engine_name(i, nim_engines);
}
static const char set_and_engine_cases[FACT_SETS * FACT_ENGINES]; /* only the indices matter */

SG_TEST_P(FactsBelow20000, ColdCountIsTheKnownOne, char, set_and_engine_cases, cold_case_name) {
    size_t index = (size_t)(param - set_and_engine_cases);
    const fact_set *set = &sets_below_20000[index / FACT_ENGINES];
    sg_engine engine = cold_engines[index % FACT_ENGINES];
    sg_result *result = solve_spec(set->spec, SG_MODE_COLD, 20000, (run_layout){.engine = engine});
    EXPECT_EQ(info_of(result).cold_count, set->cold_count);
    EXPECT_EQ(count_cold_below(result, 20000), set->cold_count);
    sg_result_destroy(result);
}

static size_t records_of(const uint32_t *nim, uint64_t n, fact_record *records, size_t capacity) {
    size_t count = 0;
    int64_t most = -1;
    for (uint64_t p = 0; p < n; p++)
        if ((int64_t)nim[p] > most) {
            most = nim[p];
            if (count < capacity)
                records[count] = (fact_record){p, nim[p]};
            count++;
        }
    return count;
}

SG_TEST_P(FactsBelow20000, NimValuesAndRecordsAreTheKnownOnes, char, set_and_engine_cases, nim_case_name) {
    size_t index = (size_t)(param - set_and_engine_cases);
    const fact_set *set = &sets_below_20000[index / FACT_ENGINES];
    sg_engine engine = nim_engines[index % FACT_ENGINES];
#ifdef SG_TEST_SMALL
    if (set->max_nim > 50 && (engine == SG_ENGINE_SPLIT || engine == SG_ENGINE_CONVOLUTION))
        SG_SKIP("too many levels for a build with sanitizers");
#endif
    sg_result *result = solve_spec(set->spec, SG_MODE_NIM, 20000, (run_layout){.engine = engine});
    sg_result_info info = info_of(result);
    EXPECT_EQ(info.max_value, set->max_nim);
    EXPECT_EQ(info.max_value_at, set->last_records[set->record_count - 1].heap);
    EXPECT_EQ(info.cold_count, set->cold_count);
    uint32_t *nim = values_of_result(result, 20000);
    for (size_t p = 0; p < FACT_NIM_FIRST; p++)
        EXPECT_EQ(nim[p], set->nim_first[p]);
    fact_record records[256];
    size_t count = records_of(nim, 20000, records, 256);
    ASSERT_TRUE(set->record_count <= count);
    ASSERT_TRUE(count <= 256u);
    for (size_t i = 0; i < set->record_count; i++) {
        const fact_record *actual = &records[count - set->record_count + i];
        EXPECT_EQ(actual->heap, set->last_records[i].heap);
        EXPECT_EQ(actual->value, set->last_records[i].value);
    }
    free(nim);
    sg_result_destroy(result);
}

/* ---------------------------------------------------------------- primes */

/* The recurrence has 10^10 options at this size: dp and tile are in test_slow.c. */
static const sg_engine prime_engines[] = {SG_ENGINE_AUTO, SG_ENGINE_SPLIT};
static const char *prime_engine_name(size_t i) {
    return sg_engine_name(prime_engines[i]);
}

SG_TEST_P(FactsPrimes, CountsByValueAndFirstHeapsAreTheKnownOnes, sg_engine, prime_engines, prime_engine_name) {
    uint64_t n = scaled(1 << 19, 1 << 13);
    sg_result *result = solve_spec("primes", SG_MODE_NIM, n, (run_layout){.engine = *param});
    uint64_t counts[PRIMES_VALUES + 1], heaps[PRIMES_VALUES + 1];
    ASSERT_EQ(sg_result_histogram(result, counts, PRIMES_VALUES + 1), SG_OK);
    ASSERT_EQ(sg_result_first_heaps(result, heaps, PRIMES_VALUES + 1), SG_OK);
    for (size_t v = 0; v < PRIMES_VALUES; v++) {
        EXPECT_EQ(heaps[v], primes_first_heap[v]);
        if (n == 1 << 19)
            EXPECT_EQ(counts[v], primes_count_by_value[v]);
    }
    EXPECT_EQ(counts[PRIMES_VALUES], UINT64_C(0));
    EXPECT_EQ(heaps[PRIMES_VALUES], UINT64_MAX);
    sg_result_destroy(result);
}

SG_TEST_P(FactsPrimes, AllButFiveColdHeapsAreOdd, sg_engine, cold_engines, cold_engine_name) {
    uint64_t n = *param == SG_ENGINE_DP ? scaled(1 << 16, 1 << 14) : scaled(1 << 18, 1 << 14);
    sg_result *result = solve_spec("primes", SG_MODE_COLD, n, (run_layout){.engine = *param});
    uint64_t heap, even = 0;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1)
        even += heap % 2 == 0;
    EXPECT_EQ(even, (uint64_t)PRIMES_EVEN_COLD);
    sg_result_destroy(result);
}

/* ---------------------------------------------------------------- Moser-de Bruijn */

/* Digits of p in base 4, each mod 2, read in base 2: OEIS A059905. */
static uint64_t moser_nim(uint64_t p) {
    uint64_t value = 0;
    for (unsigned bit = 0; p; p /= 4, bit++)
        value |= (p & 1) << bit;
    return value;
}

SG_TEST(FactsMoser, NimValuesAreTheBase4DigitsMod2) {
    static const sg_engine engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_TILE};
    for (size_t e = 0; e < 3; e++) {
        uint64_t n = scaled(1 << 18, 1 << 16);
        sg_result *result = solve_spec("moser", SG_MODE_NIM, n, (run_layout){.engine = engines[e]});
        uint32_t *nim = values_of_result(result, n);
        uint64_t wrong = 0;
        for (uint64_t p = 0; p < n; p++)
            wrong += nim[p] != moser_nim(p);
        EXPECT_EQ(wrong, UINT64_C(0));
        free(nim);
        sg_result_destroy(result);
    }
}

SG_TEST_P(FactsMoser, ColdHeapsBelow2To16AreThoseWithoutOddBase4Digit, sg_engine, cold_engines, cold_engine_name) {
    sg_result *result = solve_spec("moser", SG_MODE_COLD, 1 << 16, (run_layout){.engine = *param});
    EXPECT_EQ(info_of(result).cold_count, UINT64_C(256));
    uint64_t heap;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1)
        EXPECT_EQ(moser_nim(heap), UINT64_C(0));
    sg_result_destroy(result);
}

/* ---------------------------------------------------------------- periods */

/* Whether value(p + period) = value(p) + saltus for preperiod <= p < n - period. */
static bool has_period(const uint32_t *values, uint64_t n, uint64_t preperiod, uint64_t period, uint64_t saltus) {
    for (uint64_t p = preperiod; p + period < n; p++)
        if (values[p + period] != values[p] + saltus)
            return false;
    return true;
}

/* The claimed period holds over three periods, no proper divisor of it is a period, and the preperiod is the least. */
static void expect_least_period(const uint32_t *values, uint64_t n, uint64_t preperiod, uint64_t period,
                                uint64_t saltus) {
    ASSERT_TRUE(preperiod + 3 * period <= n);
    EXPECT_TRUE(has_period(values, n, preperiod, period, saltus));
    if (preperiod > 0)
        EXPECT_FALSE(has_period(values, n, preperiod - 1, period, saltus));
    for (uint64_t d = 2; d <= period; d++)
        if (period % d == 0 && saltus % d == 0)
            EXPECT_FALSE(has_period(values, n, preperiod, period / d, saltus / d));
}

static size_t members_of(const fact_period *fact, uint64_t *largest) {
    size_t count = 0;
    *largest = 0;
    for (; count < FACT_MEMBERS && fact->members[count]; count++)
        *largest = fact->members[count];
    return count;
}

static uint32_t *nim_of_members(const uint64_t *members, size_t count, uint64_t n, sg_engine engine) {
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, count, &game), SG_OK);
    sg_result *result = solve(game, SG_MODE_NIM, n, (run_layout){.engine = engine, .threads = 1});
    uint32_t *nim = values_of_result(result, n);
    sg_result_destroy(result);
    sg_game_destroy(game);
    return nim;
}

SG_TEST_P(FactsPeriods, FiniteSetsHaveTheKnownNimPeriods, fact_period, finite_nim_period, NULL) {
    uint64_t largest;
    size_t count = members_of(param, &largest);
    uint64_t n = param->preperiod + 4 * param->period + largest;
    static const sg_engine engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_SPLIT, 0};
    for (size_t e = 0; e < 4; e++) {
        SG_TRACE("engine %s", sg_engine_name(engines[e]));
        uint32_t *nim = nim_of_members(param->members, count, n, engines[e]);
        expect_least_period(nim, n, param->preperiod, param->period, 0);
        free(nim);
    }
}

SG_TEST_P(FactsPeriods, OutcomesOf247HaveTheirOwnPreperiod, sg_engine, cold_engines, cold_engine_name) {
    const fact_period *fact = &finite_outcome_period_2_4_7;
    sg_result *result = solve_spec("{2,4,7}", SG_MODE_COLD, 1000, (run_layout){.engine = *param});
    uint8_t *cold = cold_flags(result, 1000);
    uint32_t values[1000];
    for (size_t p = 0; p < 1000; p++)
        values[p] = cold[p];
    expect_least_period(values, 1000, fact->preperiod, fact->period, 0);
    free(cold);
    sg_result_destroy(result);
}

SG_TEST_P(FactsPeriods, AllButSetsAreArithmeticPeriodic, fact_period, allbut_nim_period, NULL) {
    uint64_t largest;
    size_t count = members_of(param, &largest);
    char spec[64] = "allbut{";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(spec);
        snprintf(spec + used, sizeof spec - used, "%s%" PRIu64, i ? "," : "", param->members[i]);
    }
    strcat(spec, "}");
    sg_game *game = game_of_spec(spec);
    static const sg_engine engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_TILE};
    uint64_t n = param->preperiod + 4 * param->period + 600;
    for (size_t e = 0; e < 3; e++) {
        sg_result *result = solve(game, SG_MODE_NIM, n, (run_layout){.engine = engines[e]});
        uint32_t *nim = values_of_result(result, n);
        expect_least_period(nim, n, param->preperiod, param->period, param->saltus);
        free(nim);
        sg_result_destroy(result);
    }
    sg_game_destroy(game);
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    return b ? gcd(b, a % b) : a;
}

/* {a, b, a+b} by r = b mod 2a; Larsson and Manabe for the third regime. */
static uint64_t additive_period(uint64_t a, uint64_t b) {
    uint64_t r = b % (2 * a);
    if (r == 0)
        return 2 * b;
    if (r == a)
        return 2 * b + a;
    if (r < a)
        return a * (2 * b + r) / gcd(a, b);
    return 2 * b + (2 * a - r);
}

SG_TEST(FactsPeriods, AdditiveSetsArePurelyPeriodicByRegime) {
    uint64_t most_a = scaled(24, 9), sets = 0;
    for (uint64_t a = 1; a <= most_a; a++)
        for (uint64_t b = a + 1; b <= 8 * a; b++, sets++) {
            uint64_t period = additive_period(a, b), members[3] = {a, b, a + b};
            /* a window of a + b equal values proves the period for good */
            uint64_t n = period + a + b;
            uint32_t *nim = nim_of_members(members, 3, n, SG_ENGINE_DP);
            if (!has_period(nim, n, 0, period, 0)) {
                SG_TRACE("{%" PRIu64 ",%" PRIu64 ",%" PRIu64 "}", a, b, a + b);
                EXPECT_TRUE(has_period(nim, n, 0, period, 0));
            }
            free(nim);
        }
    EXPECT_EQ(sets, 7 * most_a * (most_a + 1) / 2);
}

SG_TEST(FactsPeriods, AlthoferAndBultermannSetsHaveCubicPeriods) {
    for (uint64_t a = 1; a <= ALTHOFER_BULTERMANN_A; a++) {
        uint64_t period = 56 * a * a * a + 52 * a * a + 9 * a + 1;
        EXPECT_EQ(period, althofer_bultermann_period[a - 1]);
        uint64_t members[4] = {a, 4 * a, 12 * a + 1, 16 * a + 1};
        uint64_t settled = 4 * period, n = settled + 3 * period;
        uint32_t *nim = nim_of_members(members, 4, n, SG_ENGINE_AUTO);
        EXPECT_TRUE(has_period(nim, n, settled, period, 0));
        for (uint64_t d = 2; d <= period; d++)
            if (period % d == 0)
                EXPECT_FALSE(has_period(nim, n, settled, period / d, 0));
        free(nim);
    }
}
