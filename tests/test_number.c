/* The number grammar and exact square roots. */
#include "number.h"
#include "sgtest.h"

#include <stdio.h>
#include <string.h>

static sg_context *new_context(void) {
    sg_context *context = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    return context;
}

/* Test names start with the index, since different texts may give the same letters. */
static const char *numbered(size_t index, const char *text) {
    static char name[160];
    snprintf(name, sizeof name, "%zu %s", index, text);
    return name;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

typedef struct good_number {
    const char *text;
    uint64_t value;
} good_number;

static const good_number good[] = {
    {"0", 0},
    {"7", 7},
    {"007", 7},
    {"4294967295", 0xFFFFFFFF},
    {"4294967296", 0x100000000},
    {"9007199254740993", 9007199254740993},
    {"9223372036854775807", 0x7FFFFFFFFFFFFFFF},
    {"9223372036854775808", 0x8000000000000000},
    {"18446744073709551615", UINT64_MAX},
    {"1_000_000", 1000000},
    {"1_2_3", 123},
    {"1e0", 1},
    {"1e9", 1000000000},
    {"1E9", 1000000000},
    {"1e+9", 1000000000},
    {"2.5e3", 2500},
    {"2.50e1", 25},
    {"12.0", 12},
    {"1_0.2_5e2", 1025},
    {"1500e-2", 15},
    {"1e19", 10000000000000000000u},
    {"1.8446744073709551615e19", UINT64_MAX},
    {"0.00000000000000000000000000000000000000000000001e48", 10},
    {"100000000000000000000000000000000000000000000000000e-49", 10},
    {"0e999999999999999999999", 0},
    {"2^34", 17179869184},
    {"10^9", 1000000000},
    {"2^31", 0x80000000},
    {"2^32", 0x100000000},
    {"2^53+1", 9007199254740993},
    {"2^63", 0x8000000000000000},
    {"2^63-1", 0x7FFFFFFFFFFFFFFF},
    {"2^64-1", UINT64_MAX},
    {"2^65-2^64-1", UINT64_MAX},
    {"3^40", 12157665459056928801u},
    {"3*2^20", 3145728},
    {"2^20*3", 3145728},
    {"2^20+7", 1048583},
    {"2^26-1", 67108863},
    {"10-3-2", 5},
    {"10-3+2", 9},
    {"2+3*4^2", 50},
    {"2^3^2", 512},
    {"2^2^2^2", 65536},
    {"1e3*1e3", 1000000},
    {"1e3^2", 1000000},
    {"5-5", 0},
    {"0^0", 1},
    {"0^5", 0},
    {"5^0", 1},
    {"1^18446744073709551615", 1},
    {"0^1e19", 0},
    {" 2 ^ 3 * 2 + 1 ", 17},
    {"\t12\n", 12},
};

static const char *good_name(size_t i) {
    return numbered(i, good[i].text);
}

SG_TEST_P(Number, Reads, good_number, good, good_name) {
    sg_context *context = new_context();
    uint64_t value = 12345;
    EXPECT_EQ(sg_parse_number(context, param->text, &value), SG_OK);
    EXPECT_STREQ(sg_last_error(context), "");
    EXPECT_EQ(value, param->value);
    sg_context_destroy(context);
}

typedef struct bad_number {
    const char *text;
    sg_status status;
    const char *token; /* stands in the message */
} bad_number;

static const bad_number bad[] = {
    {"", SG_ERROR_PARSE, "empty"},
    {"   ", SG_ERROR_PARSE, "empty"},
    {"-3", SG_ERROR_PARSE, "'-3' is negative"},
    {"- 3", SG_ERROR_PARSE, "'-'"},
    {"+3", SG_ERROR_PARSE, "'+'"},
    {"1__0", SG_ERROR_PARSE, "'1__0'"},
    {"_1", SG_ERROR_PARSE, "'_1'"},
    {"1_", SG_ERROR_PARSE, "'1_'"},
    {"1_.5e1", SG_ERROR_PARSE, "'1_.5e1'"},
    {"1._5e1", SG_ERROR_PARSE, "'1._5e1'"},
    {"1.5", SG_ERROR_PARSE, "'1.5' is not an integer"},
    {"1e-3", SG_ERROR_PARSE, "'1e-3' is not an integer"},
    {"2.55e1", SG_ERROR_PARSE, "'2.55e1' is not an integer"},
    {"1e-99999999999999999999", SG_ERROR_PARSE, "is not an integer"},
    {"1.00000000000000000000000000000000000000000000000001", SG_ERROR_PARSE, "is not an integer"},
    {"1.", SG_ERROR_PARSE, "'1.'"},
    {".5e1", SG_ERROR_PARSE, "'.5e1'"},
    {"1.2.3", SG_ERROR_PARSE, "'1.2.3'"},
    {"1e", SG_ERROR_PARSE, "'1e'"},
    {"1e+", SG_ERROR_PARSE, "'1e'"},
    {"1e5e3", SG_ERROR_PARSE, "'1e5e3'"},
    {"e5", SG_ERROR_PARSE, "'e5'"},
    {"0x10", SG_ERROR_PARSE, "'0x10'"},
    {"12abc", SG_ERROR_PARSE, "'12abc'"},
    {"3*12abc", SG_ERROR_PARSE, "'12abc'"},
    {"nan", SG_ERROR_PARSE, "'nan'"},
    {"inf", SG_ERROR_PARSE, "'inf'"},
    {"2^", SG_ERROR_PARSE, "'^'"},
    {"2^^3", SG_ERROR_PARSE, "'^'"},
    {"2**3", SG_ERROR_PARSE, "'*'"},
    {"3+", SG_ERROR_PARSE, "'+'"},
    {"3 - ", SG_ERROR_PARSE, "'-'"},
    {"*3", SG_ERROR_PARSE, "'*'"},
    {"2^-1", SG_ERROR_PARSE, "'-1' is negative"},
    {"5*-3", SG_ERROR_PARSE, "'-3' is negative"},
    {"1 2", SG_ERROR_PARSE, "'2'"},
    {"1,2", SG_ERROR_PARSE, "','"},
    {"(2", SG_ERROR_PARSE, "'('"},
    {"2)", SG_ERROR_PARSE, "')'"},
    {"{2}", SG_ERROR_PARSE, "'{'"},
    {"2/1", SG_ERROR_PARSE, "'/'"},
    {"\xC2\xB2", SG_ERROR_PARSE, "'\xC2\xB2'"},
    {"1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^1", SG_ERROR_PARSE, "powers"},
    {"2^64", SG_ERROR_OVERFLOW, "'2^64'"},
    {"18446744073709551616", SG_ERROR_OVERFLOW, "'18446744073709551616'"},
    {"340282366920938463463374607431768211456", SG_ERROR_OVERFLOW, "past 2^64 - 1"},
    {"99999999999999999999999999999999999999999999999999", SG_ERROR_OVERFLOW, "past 2^64 - 1"},
    {"1e20", SG_ERROR_OVERFLOW, "'1e20'"},
    {"1e38", SG_ERROR_OVERFLOW, "'1e38'"},
    {"1e39", SG_ERROR_OVERFLOW, "'1e39'"},
    {"1e400", SG_ERROR_OVERFLOW, "'1e400'"},
    {"1e99999999999999999999", SG_ERROR_OVERFLOW, "past 2^64 - 1"},
    {"2^1e400", SG_ERROR_OVERFLOW, "'1e400'"},
    {"3*2^200", SG_ERROR_OVERFLOW, "'2^200'"},
    {"2^127*2", SG_ERROR_OVERFLOW, "'2^127*2'"},
    {"2^127+2^127", SG_ERROR_OVERFLOW, "'2^127+2^127'"},
    {"2^64*2^64", SG_ERROR_OVERFLOW, "'2^64*2^64'"},
    {"2^63*2", SG_ERROR_OVERFLOW, "'2^63*2'"},
    {"2^63+2^63", SG_ERROR_OVERFLOW, "'2^63+2^63'"},
    {"2^2^2^2^2^2^2", SG_ERROR_OVERFLOW, "past 2^64 - 1"},
    {"1-2", SG_ERROR_OVERFLOW, "'1-2' is negative"},
    {"1-2+3", SG_ERROR_OVERFLOW, "'1-2' is negative"},
};

static const char *bad_name(size_t i) {
    return numbered(i, bad[i].text);
}

SG_TEST_P(Number, RefusesAndNamesTheToken, bad_number, bad, bad_name) {
    sg_context *context = new_context();
    uint64_t value = 12345;
    EXPECT_EQ(sg_parse_number(context, param->text, &value), param->status);
    SG_TRACE("'%s': %s", param->text, sg_last_error(context));
    EXPECT_TRUE(strstr(sg_last_error(context), param->token));
    EXPECT_TRUE(param->status != SG_ERROR_PARSE || strstr(sg_last_error(context), "write "));
    EXPECT_FALSE(strchr(sg_last_error(context), '\n'));
    EXPECT_EQ(value, 12345u);
    sg_context_destroy(context);
}

SG_TEST(Number, RefusesNull) {
    sg_context *context = new_context();
    uint64_t value;
    EXPECT_EQ(sg_parse_number(context, NULL, &value), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(sg_last_error(context), "sg_parse_number: text is NULL");
    EXPECT_EQ(sg_parse_number(context, "1", NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(sg_last_error(context), "sg_parse_number: value is NULL");
    EXPECT_EQ(sg_parse_number(NULL, "1", &value), SG_OK);
    EXPECT_EQ(sg_parse_number(NULL, "x", &value), SG_ERROR_PARSE);
    sg_context_destroy(context);
}

SG_TEST(Number, ReadsNoFurtherThanItsLength) {
    uint64_t value = 0;
    EXPECT_EQ(sg_number_parse(NULL, "n", "2^345", 4, &value), SG_OK);
    EXPECT_EQ(value, 17179869184u);
    EXPECT_EQ(sg_number_parse(NULL, "n", "1e9", 2, &value), SG_ERROR_PARSE);
    EXPECT_EQ(sg_number_parse(NULL, "n", "7_1", 2, &value), SG_ERROR_PARSE);
    EXPECT_EQ(sg_number_parse(NULL, "n", "12", 0, &value), SG_ERROR_PARSE);
    EXPECT_EQ(sg_number_parse(NULL, "n", "12}", 2, &value), SG_OK);
    EXPECT_EQ(value, 12u);
}

SG_TEST(Number, ErrorsAreOneLineAndBounded) {
    sg_context *context = new_context();
    char text[1 << 16];
    uint64_t value;
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    EXPECT_EQ(sg_parse_number(context, text, &value), SG_ERROR_OVERFLOW);
    EXPECT_LT(strlen(sg_last_error(context)), 400u);
    EXPECT_TRUE(strstr(sg_last_error(context), "777..."));
    EXPECT_EQ(sg_parse_number(context, "1\n\x01z", &value), SG_ERROR_PARSE);
    EXPECT_FALSE(strpbrk(sg_last_error(context), "\n\x01"));
    sg_context_destroy(context);
}

SG_TEST(Number, RoundTripsRandomValues) {
    uint64_t state = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        uint64_t wanted = next_random(&state) >> next_random(&state) % 64, value = 0;
        unsigned long long factor = next_random(&state) % 1000, rest = wanted % (factor + 1);
        char text[128];
        snprintf(text, sizeof text, "%llu", (unsigned long long)wanted);
        ASSERT_EQ(sg_parse_number(NULL, text, &value), SG_OK);
        ASSERT_EQ(value, wanted);
        snprintf(text, sizeof text, "%llu*%llu + %llu", factor + 1, (unsigned long long)wanted / (factor + 1), rest);
        ASSERT_EQ(sg_parse_number(NULL, text, &value), SG_OK);
        ASSERT_EQ(value, wanted);
        snprintf(text, sizeof text, "%llu.%09llue9", (unsigned long long)wanted / 1000000000,
                 (unsigned long long)wanted % 1000000000);
        ASSERT_EQ(sg_parse_number(NULL, text, &value), SG_OK);
        ASSERT_EQ(value, wanted);
    }
}

static void check_root(uint64_t root) {
    sg_u128 square = (sg_u128)root * root;
    ASSERT_EQ(sg_isqrt(square), root);
    ASSERT_EQ(sg_isqrt(square + root), root);
    ASSERT_EQ(sg_isqrt(square + 2 * (sg_u128)root), root);
    if (root)
        ASSERT_EQ(sg_isqrt(square - 1), root - 1);
    if (root < UINT64_MAX)
        ASSERT_EQ(sg_isqrt(square + 2 * (sg_u128)root + 1), root + 1);
}

SG_TEST(Isqrt, IsExactAroundSquares) {
    for (uint64_t root = 0; root < 5000; root++)
        check_root(root);
    for (int bit = 13; bit < 64; bit++)
        for (int offset = -3; offset <= 3; offset++)
            check_root(((uint64_t)1 << bit) + (uint64_t)offset);
    check_root(94906265); /* square next to 2^53 */
    check_root(94906266);
    check_root(UINT64_MAX - 1);
    check_root(UINT64_MAX);
    EXPECT_EQ(sg_isqrt(~(sg_u128)0), UINT64_MAX);
}

SG_TEST(Isqrt, IsExactForRandomRoots) {
    uint64_t state = 42;
    for (int i = 0; i < 100000; i++)
        check_root(next_random(&state) >> next_random(&state) % 64);
}

SG_TEST(Gcd, DividesBoth) {
    EXPECT_EQ(sg_gcd(0, 0), 0u);
    EXPECT_EQ(sg_gcd(12, 0), 12u);
    EXPECT_EQ(sg_gcd(12, 18), 6u);
    EXPECT_EQ(sg_gcd(UINT64_MAX, 15), 15u);
    EXPECT_EQ(sg_gcd((uint64_t)1 << 63, 96), 32u);
}
