/* One check that does not hold in each test; ctest expects every one of these to fail (WILL_FAIL). */
#include "sgtest.h"

#include <math.h>
#include <stdlib.h>

SG_TEST(ShimFails, ExpectEqual) {
    EXPECT_EQ(UINT64_MAX, UINT64_C(0));
}

SG_TEST(ShimFails, ExpectNotEqual) {
    EXPECT_NE(7, 7);
}

SG_TEST(ShimFails, ExpectLess) {
    EXPECT_LT(UINT64_C(1) << 63, 1);
}

SG_TEST(ShimFails, ExpectLessOrEqual) {
    EXPECT_LE(1, -1);
}

SG_TEST(ShimFails, ExpectGreater) {
    EXPECT_GT(1, UINT64_C(1) << 63);
}

SG_TEST(ShimFails, ExpectGreaterOrEqual) {
    EXPECT_GE(-1, 1);
}

SG_TEST(ShimFails, ExpectTrue) {
    EXPECT_TRUE(NULL);
}

SG_TEST(ShimFails, ExpectFalse) {
    EXPECT_FALSE(2);
}

SG_TEST(ShimFails, AssertTrue) {
    ASSERT_TRUE(NULL);
    exit(0);
}

SG_TEST(ShimFails, AssertFalse) {
    ASSERT_FALSE(2);
    exit(0);
}

SG_TEST(ShimFails, ExpectNear) {
    EXPECT_NEAR(1.0, 2.0, 0.5);
}

SG_TEST(ShimFails, ExpectNearOfNan) {
    EXPECT_NEAR((double)NAN, (double)NAN, 1.0);
}

SG_TEST(ShimFails, ExpectStrings) {
    EXPECT_STREQ("cold", NULL);
}

SG_TEST(ShimFails, ExpectMemory) {
    EXPECT_MEMEQ("abcd", "abce", 4);
}

SG_TEST(ShimFails, FailureInsideATracedLoop) {
    for (int i = 0; i < 3; i++) {
        SG_TRACE("round %d", i);
        ASSERT_NE(i, 1);
    }
}

/* Ends the process successfully when the assertion does not end the test. */
SG_TEST(ShimFails, AssertDoesNotGoOn) {
    ASSERT_EQ(1, 2);
    exit(0);
}

/* Expected to be reported as skipped. */
SG_TEST(ShimSkips, EndsTheTest) {
    SG_SKIP("only to see that it does, and %s", "with a format");
    EXPECT_TRUE(0);
}
