/* The shim's macros on checks that hold. test_sgtest_failing.c has those that do not. */
#include "sgtest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

SG_TEST(Shim, ChecksThatHoldPass) {
    const uint8_t byte = 255;
    const uint64_t large = UINT64_MAX;
    EXPECT_EQ(byte, 255);
    EXPECT_EQ(large, UINT64_MAX);
    EXPECT_NE(-1, 1);
    EXPECT_LT(-1, 0);
    EXPECT_LE(3, 3);
    EXPECT_GT(large, 1);
    EXPECT_GE(INT64_C(-5), INT64_MIN);
    EXPECT_TRUE(stdout);
    EXPECT_FALSE(NULL);
    EXPECT_EQ(true, 1);
    EXPECT_NEAR(0.1 + 0.2, 0.3, 1e-12);
    EXPECT_STREQ("cold", "cold");
    EXPECT_STREQ(NULL, NULL);
    EXPECT_MEMEQ("abcd", "abce", 3);
    ASSERT_EQ(large, large);
    ASSERT_TRUE(byte);
    ASSERT_FALSE(byte == 0);
}

SG_TEST(Shim, LargeUnsignedComparesAsUnsignedOnEitherSide) {
    EXPECT_LT(1, UINT64_C(1) << 63);
    EXPECT_GT(UINT64_C(1) << 63, 1);
    EXPECT_LT(1, UINT64_C(1) << 63);
}

static int evaluations;
static int count_evaluation(void) {
    return ++evaluations;
}

SG_TEST(Shim, ArgumentsAreEvaluatedOnce) {
    EXPECT_EQ(count_evaluation(), 1);
    EXPECT_EQ(2, count_evaluation());
}

SG_TEST(Shim, TracesEndWithTheirBlock) {
    for (int i = 0; i < 1000; i++) {
        SG_TRACE("round %d", i);
        EXPECT_LT(i, 1000);
    }
}

static const struct pair { int a, b; } pairs[] = {{1, 2}, {3, 6}, {-4, -8}};

static const char *pair_name(size_t index) {
    static char name[32];
    snprintf(name, sizeof name, "a=%d", pairs[index].a);
    return name;
}

SG_TEST_P(Shim, ParameterPointsAtTheElement, struct pair, pairs, pair_name) {
    EXPECT_EQ(2 * param->a, param->b);
}

SG_TEST(Shim, TemporaryDirectoryIsWritable) {
    char path[512];
    ASSERT_LT(snprintf(path, sizeof path, "%s/file", sgtest_tmpdir()), (int)sizeof path);
    FILE *file = fopen(path, "w");
    ASSERT_TRUE(file != NULL);
    EXPECT_GE(fputs("text", file), 0);
    EXPECT_EQ(fclose(file), 0);
}
