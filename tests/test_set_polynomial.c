/* Sets that are the values of a polynomial, against trial. */
#include "number.h"
#include "set_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
