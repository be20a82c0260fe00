/* Set specifications: canonical names, refusals that name the token, set files; and the games that hold sets. */
#include "sgtest.h"
#include "subgame.h"

#include <stdio.h>
#include <string.h>

/* Test names start with the index, since different texts may give the same letters. */
static const char *numbered(size_t index, const char *text) {
    static char name[160];
    snprintf(name, sizeof name, "%zu %s", index, text);
    return name;
}

static sg_context *new_context(void) {
    sg_context *context = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    return context;
}

typedef struct named_spec {
    const char *spec;
    const char *name;
} named_spec;

static const named_spec named_specs[] = {
    {"squares", "squares"},
    {"  cubes ", "cubes"},
    {"powers:2", "powers:2"},
    {"powers: 3 ", "powers:3"},
    {"powers-of:2^4", "powers-of:16"},
    {"triangular", "triangular"},
    {"fibonacci", "fibonacci"},
    {"primes", "primes"},
    {"moser", "moser"},
    {"all", "all"},
    {"{7,2,4}", "{2,4,7}"},
    {"{ 7 ,\t2, 2,4, 7}", "{2,4,7}"},
    {"{2^4,1e3}", "{16,1000}"},
    {"{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}",
     "{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}"},
    {"{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,99}",
     "{1,2,3,...,99} (33 members)"},
    {"allbut{5,2}", "allbut{2,5}"},
    {"allbut{ }", "all"},
    {"additive{12,5}", "additive{5,12}"},
    {"poly:k^2+k", "poly:k^2+k"},
    {"poly: 2*k - 1 + 3k ^ 2", "poly:3k^2+2k-1"},
    {"poly:2*k*k*3+0k-k^1+10", "poly:6k^2-k+10"},
    {"poly:-k+k^3", "poly:k^3-k"},
    {"poly:2^20*k", "poly:1048576k"},
    {"beatty:phi", "beatty:phi"},
    {"beatty: sqrt2", "beatty:sqrt2"},
    {"beatty:e", "beatty:e"},
    {"beatty:6/4", "beatty:3/2"},
    {"beatty:6/3", "beatty:2"},
    {"beatty:2.250", "beatty:2.25"},
    {"beatty:2.0", "beatty:2"},
    {"beatty:1.000000000000000001", "beatty:1.000000000000000001"},
    {"beatty:2^3", "beatty:8"},
    {"random{7,1/4}", "random{7,1/4}"},
    {"random{ 2^64-1 , 25 / 100 }", "random{18446744073709551615,1/4}"},
};

static const char *named_spec_name(size_t i) {
    return numbered(i, named_specs[i].spec);
}

SG_TEST_P(SetSpec, HasACanonicalName, named_spec, named_specs, named_spec_name) {
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create(context, param->spec, &game), SG_OK);
    EXPECT_STREQ(sg_last_error(context), "");
    EXPECT_STREQ(sg_game_set_name(game), param->name);
    sg_game_destroy(game);
    if (!strstr(param->name, "...")) {
        ASSERT_EQ(sg_game_create(context, param->name, &game), SG_OK);
        EXPECT_STREQ(sg_game_set_name(game), param->name);
        sg_game_destroy(game);
    }
    sg_context_destroy(context);
}

typedef struct bad_spec {
    const char *spec;
    sg_status status;
    const char *token; /* stands in the message */
} bad_spec;

static const bad_spec bad_specs[] = {
    {"", SG_ERROR_PARSE,
     "is empty; accepted are squares, cubes, powers:K, powers-of:B, triangular, fibonacci, primes, "
     "moser, all, {2,4,7}, allbut{2,5}, additive{5,12}, poly:k^2+k, beatty:phi, random{SEED,P/Q}, "
     "file:PATH"},
    {"  ", SG_ERROR_PARSE, "accepted are squares"},
    {"squers", SG_ERROR_PARSE, "'squers'; accepted are squares"},
    {"Squares", SG_ERROR_PARSE, "'Squares'"},
    {"2,4,7", SG_ERROR_PARSE, "'2,4,7'"},
    {"-3", SG_ERROR_PARSE, "'-3'"},
    {":3", SG_ERROR_PARSE, "':3'"},
    {"squares:3", SG_ERROR_PARSE, "':3'"},
    {"squares cubes", SG_ERROR_PARSE, "'cubes'"},
    {"all{2}", SG_ERROR_PARSE, "'{2}'"},
    {"{}", SG_ERROR_PARSE, "empty set"},
    {"{ }", SG_ERROR_PARSE, "empty set"},
    {"{0}", SG_ERROR_PARSE, "'0'"},
    {"{2,0,4}", SG_ERROR_PARSE, "'0'"},
    {"{5-5}", SG_ERROR_PARSE, "'5-5' is 0"},
    {"{2,-3}", SG_ERROR_PARSE, "'-3' is negative"},
    {"{2,x}", SG_ERROR_PARSE, "'x'"},
    {"{2 4}", SG_ERROR_PARSE, "'4'"},
    {"{2,,4}", SG_ERROR_PARSE, "is empty"},
    {"{2,4,}", SG_ERROR_PARSE, "is empty"},
    {"{,}", SG_ERROR_PARSE, "is empty"},
    {"{2,4", SG_ERROR_PARSE, "closing '}'"},
    {"{", SG_ERROR_PARSE, "closing '}'"},
    {"}", SG_ERROR_PARSE, "'}'"},
    {"{2}}", SG_ERROR_PARSE, "'}'"},
    {"{2,4}x", SG_ERROR_PARSE, "'x'"},
    {"{2},{4}", SG_ERROR_PARSE, "',{4}'"},
    {"{{2}}", SG_ERROR_PARSE, "'}'"},
    {"{1.5}", SG_ERROR_PARSE, "'1.5'"},
    {"{2^64}", SG_ERROR_OVERFLOW, "'2^64'"},
    {"{3,1e400}", SG_ERROR_OVERFLOW, "'1e400'"},
    {"powers", SG_ERROR_PARSE, "write powers:K"},
    {"powers:", SG_ERROR_PARSE, "exponent is empty"},
    {"powers:0", SG_ERROR_PARSE, "at least 1"},
    {"powers:x", SG_ERROR_PARSE, "'x'"},
    {"powers:-1", SG_ERROR_PARSE, "'-1'"},
    {"powers:2^64", SG_ERROR_OVERFLOW, "'2^64'"},
    {"powers{2}", SG_ERROR_PARSE, "write powers:K"},
    {"powers-of:0", SG_ERROR_PARSE, "at least 2"},
    {"powers-of:1", SG_ERROR_PARSE, "at least 2"},
    {"allbut", SG_ERROR_PARSE, "write allbut{2,5}"},
    {"allbut:2", SG_ERROR_PARSE, "write allbut{2,5}"},
    {"allbut{0}", SG_ERROR_PARSE, "'0'"},
    {"allbut{2", SG_ERROR_PARSE, "closing '}'"},
    {"additive{5}", SG_ERROR_PARSE, "additive{5,12}"},
    {"additive{5,5}", SG_ERROR_PARSE, "two different numbers"},
    {"additive{5,6,7}", SG_ERROR_PARSE, "two different numbers"},
    {"additive{0,6}", SG_ERROR_PARSE, "'0'"},
    {"additive{}", SG_ERROR_PARSE, "is empty"},
    {"additive{2^63,2^63+1}", SG_ERROR_OVERFLOW, "past 2^64 - 1"},
    {"poly:", SG_ERROR_PARSE, "lacks a term"},
    {"poly:3", SG_ERROR_PARSE, "constant"},
    {"poly:k-k+3", SG_ERROR_PARSE, "constant"},
    {"poly:-k^2", SG_ERROR_PARSE, "leading coefficient is negative"},
    {"poly:5k-k^2", SG_ERROR_PARSE, "leading coefficient is negative"},
    {"poly:x^2", SG_ERROR_PARSE, "'x'"},
    {"poly:k^", SG_ERROR_PARSE, "exponent is empty"},
    {"poly:k^k", SG_ERROR_PARSE, "'k'"},
    {"poly:k^21", SG_ERROR_PARSE, "'k^21'"},
    {"poly:k^11*k^11", SG_ERROR_PARSE, "degree"},
    {"poly:k^2^64", SG_ERROR_OVERFLOW, "'2^64'"},
    {"poly:k2", SG_ERROR_PARSE, "'2'"},
    {"poly:k+", SG_ERROR_PARSE, "lacks a term"},
    {"poly:k++1", SG_ERROR_PARSE, "lacks a term"},
    {"poly:2*", SG_ERROR_PARSE, "'2*' lacks a factor"},
    {"poly:2**k", SG_ERROR_PARSE, "lacks a factor"},
    {"poly:(k+1)*k", SG_ERROR_PARSE, "'('"},
    {"poly:2^64k", SG_ERROR_OVERFLOW, "'2^64'"},
    {"poly:2^63*2*k", SG_ERROR_OVERFLOW, "coefficient past 2^64 - 1"},
    {"poly:18446744073709551615k+k", SG_ERROR_OVERFLOW, "coefficient past 2^64 - 1"},
    {"poly:1e19*k^20", SG_ERROR_OVERFLOW, "too large"},
    {"beatty:", SG_ERROR_PARSE, "write phi, sqrt2, e, p/q or a decimal"},
    {"beatty:pi", SG_ERROR_PARSE, "'pi'"},
    {"beatty:0", SG_ERROR_PARSE, "less than 1"},
    {"beatty:0.99", SG_ERROR_PARSE, "less than 1"},
    {"beatty:3/4", SG_ERROR_PARSE, "less than 1"},
    {"beatty:3/0", SG_ERROR_PARSE, "divides by 0"},
    {"beatty:3/", SG_ERROR_PARSE, "denominator is empty"},
    {"beatty:/3", SG_ERROR_PARSE, "numerator is empty"},
    {"beatty:3/2/1", SG_ERROR_PARSE, "'/'"},
    {"beatty:1.", SG_ERROR_PARSE, "no digit after the point"},
    {"beatty:.5", SG_ERROR_PARSE, "slope is empty"},
    {"beatty:1.5x", SG_ERROR_PARSE, "'x'"},
    {"beatty:-2", SG_ERROR_PARSE, "'-2'"},
    {"beatty:1.0000000000000000001", SG_ERROR_PARSE, "18 decimals"},
    {"beatty:2^64", SG_ERROR_OVERFLOW, "'2^64'"},
    {"beatty:2^64/3", SG_ERROR_OVERFLOW, "'2^64'"},
    {"random", SG_ERROR_PARSE, "write random{SEED,P/Q}"},
    {"random{}", SG_ERROR_PARSE, "needs a seed and a fraction"},
    {"random{7}", SG_ERROR_PARSE, "needs a seed and a fraction"},
    {"random{7,1}", SG_ERROR_PARSE, "needs a seed and a fraction"},
    {"random{7/1,2}", SG_ERROR_PARSE, "needs a seed and a fraction"},
    {"random{,1/2}", SG_ERROR_PARSE, "seed is empty"},
    {"random{7,0/2}", SG_ERROR_PARSE, "more than 0 and at most 1"},
    {"random{7,3/2}", SG_ERROR_PARSE, "more than 0 and at most 1"},
    {"random{7,0/0}", SG_ERROR_PARSE, "more than 0 and at most 1"},
    {"random{7,1/2^33}", SG_ERROR_PARSE, "empty set"},
    {"random{7,1/2^64}", SG_ERROR_OVERFLOW, "'2^64'"},
    {"random{-1,1/2}", SG_ERROR_PARSE, "'-1'"},
    {"random{7,1/2,3}", SG_ERROR_PARSE, "','"},
    {"file:", SG_ERROR_PARSE, "names no file"},
    {"file", SG_ERROR_PARSE, "write file:PATH"},
};

static const char *bad_spec_name(size_t i) {
    return numbered(i, bad_specs[i].spec);
}

SG_TEST_P(SetSpec, RefusesAndNamesTheToken, bad_spec, bad_specs, bad_spec_name) {
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create(context, param->spec, &game), param->status);
    SG_TRACE("'%s': %s", param->spec, sg_last_error(context));
    EXPECT_TRUE(strstr(sg_last_error(context), param->token));
    EXPECT_FALSE(game);
    sg_context_destroy(context);
}

SG_TEST(SetSpec, TheSmallestFractionIsNotEmpty) {
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create(NULL, "random{7,1/2^32}", &game), SG_OK);
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- files */

/* "file:" and the path of a file with this content. */
static const char *file_spec(const char *name, const char *content, size_t bytes) {
    static char spec[4200];
    snprintf(spec, sizeof spec, "file:%s/%s", sgtest_tmpdir(), name);
    FILE *file = fopen(spec + strlen("file:"), "wb");
    ASSERT_TRUE(file);
    ASSERT_EQ(fwrite(content, 1, bytes, file), bytes);
    ASSERT_EQ(fclose(file), 0);
    return spec;
}

static const char *text_spec(const char *content) {
    return file_spec("set.txt", content, strlen(content));
}

SG_TEST(SetFile, ReadsNumbersSeparatorsAndComments) {
    static const uint64_t wanted[] = {1, 2, 5, 16, 1000, 1234567, 3145728, UINT64_MAX};
    uint64_t got[16], count = 0;
    sg_context *context = new_context();
    sg_game *game = NULL;
    const char *spec = text_spec("# a comment, with 99\r\n5,2 2\t1\n\n ,, 2^4#glued 77\n1_234_567 1e3;\n");
    EXPECT_EQ(sg_game_create(context, spec, &game), SG_ERROR_PARSE);
    EXPECT_TRUE(strstr(sg_last_error(context), "set.txt:5: subtraction set member '1e3;'"));
    spec = text_spec("# a comment, with 99\r\n5,2 2\t1\n\n ,, 2^4#glued 77\n1_234_567 1e3\n3*2^20\n2^64-1");
    ASSERT_EQ(sg_game_create(context, spec, &game), SG_OK);
    EXPECT_STREQ(sg_game_set_name(game), spec);
    ASSERT_EQ(sg_game_members(context, game, UINT64_MAX, got, 16, &count), SG_OK);
    ASSERT_EQ(count, sizeof wanted / sizeof *wanted - 1);
    EXPECT_MEMEQ(got, wanted, (size_t)count * sizeof *got);
    bool is_member = false;
    ASSERT_EQ(sg_game_has_member(context, game, UINT64_MAX, &is_member), SG_OK);
    EXPECT_TRUE(is_member);
    sg_game_destroy(game);
    sg_context_destroy(context);
}

SG_TEST(SetFile, TokensMayStraddleReads) {
    enum { NUMBERS = 50000 };
    static char content[NUMBERS * 8];
    size_t length = 0;
    uint64_t count = 0, got[NUMBERS];
    sg_game *game = NULL;
    for (unsigned i = NUMBERS; i > 0; i--)
        length += (size_t)snprintf(content + length, sizeof content - length, "%u\n", 3 * i);
    ASSERT_EQ(sg_game_create(NULL, file_spec("long.txt", content, length), &game), SG_OK);
    ASSERT_EQ(sg_game_members(NULL, game, UINT64_MAX, got, NUMBERS, &count), SG_OK);
    ASSERT_EQ(count, (uint64_t)NUMBERS);
    for (unsigned i = 0; i < NUMBERS; i++)
        ASSERT_EQ(got[i], 3u * (i + 1));
    sg_game_destroy(game);
}

typedef struct bad_file {
    const char *content;
    sg_status status;
    const char *text;
} bad_file;

static const bad_file bad_files[] = {
    {"", SG_ERROR_PARSE, "no members"},
    {" \n,\n# 3\n", SG_ERROR_PARSE, "no members"},
    {"1\n2 x7\n", SG_ERROR_PARSE, "set.txt:2: subtraction set member 'x7'"},
    {"1\n\n\n-3", SG_ERROR_PARSE, "set.txt:4: subtraction set member '-3' is negative"},
    {"5 0", SG_ERROR_PARSE, "set.txt:1: subtraction set member '0' is 0"},
    {"5\n2^64", SG_ERROR_OVERFLOW, "set.txt:2: subtraction set member '2^64'"},
    {"2 ^ 3", SG_ERROR_PARSE, "'^'"},
    {"1.5", SG_ERROR_PARSE, "'1.5'"},
};

static const char *bad_file_name(size_t i) {
    return numbered(i, bad_files[i].content);
}

SG_TEST_P(SetFile, RefusesAndNamesTheLine, bad_file, bad_files, bad_file_name) {
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create(context, text_spec(param->content), &game), param->status);
    SG_TRACE("%s", sg_last_error(context));
    EXPECT_TRUE(strstr(sg_last_error(context), param->text));
    EXPECT_FALSE(game);
    sg_context_destroy(context);
}

SG_TEST(SetFile, RefusesBinaryContent) {
    static const char zeros[4] = {'3', '\0', '4', '\n'};
    static char garbage[3000];
    sg_game *game = NULL;
    memset(garbage, '8', sizeof garbage);
    EXPECT_EQ(sg_game_create(NULL, file_spec("zeros", zeros, sizeof zeros), &game), SG_ERROR_PARSE);
    EXPECT_EQ(sg_game_create(NULL, file_spec("garbage", garbage, sizeof garbage), &game), SG_ERROR_PARSE);
}

SG_TEST(SetFile, SaysWhyItCannotBeRead) {
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create(context, "file:/nonexistent/set.txt", &game), SG_ERROR_IO);
    EXPECT_STREQ(sg_last_error(context), "cannot read set file '/nonexistent/set.txt': No such file or directory");
    EXPECT_EQ(sg_game_create(context, "file:/", &game), SG_ERROR_IO);
    EXPECT_STREQ(sg_last_error(context), "cannot read set file '/': Is a directory");
    sg_context_destroy(context);
}

SG_TEST(SetFile, RefusesMoreThan4GiB) {
    char spec[4200];
    sg_context *context = new_context();
    sg_game *game = NULL;
    snprintf(spec, sizeof spec, "%s", file_spec("huge", "3\n", 2));
    FILE *file = fopen(spec + strlen("file:"), "rb+"); /* sparse: takes no space */
    ASSERT_TRUE(file);
    bool extended = fseek(file, (long)(((uint64_t)1 << 32) + 10), SEEK_SET) == 0 && fputc('\n', file) != EOF;
    extended = fclose(file) == 0 && extended;
    sg_status status = extended ? sg_game_create(context, spec, &game) : SG_OK;
    remove(spec + strlen("file:"));
    if (!extended)
        SG_SKIP("the file system does not take a sparse file of 4 GiB");
    EXPECT_EQ(status, SG_ERROR_IO);
    EXPECT_TRUE(strstr(sg_last_error(context), "larger than 4 GiB"));
    sg_context_destroy(context);
}

/* ---------------------------------------------------------------- games */

SG_TEST(Game, StartsNormalWithoutHotspots) {
    sg_context *context = new_context();
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create(context, "squares", &game), SG_OK);
    EXPECT_EQ(sg_game_play(game), SG_PLAY_NORMAL);
    EXPECT_STREQ(sg_game_hotspots_name(game), NULL);
    EXPECT_EQ(sg_game_set_play(context, game, SG_PLAY_MISERE), SG_OK);
    EXPECT_EQ(sg_game_play(game), SG_PLAY_MISERE);
    EXPECT_EQ(sg_game_set_play(context, game, (sg_play)7), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(strstr(sg_last_error(context), "7"));
    EXPECT_EQ(sg_game_play(game), SG_PLAY_MISERE);
    sg_game_destroy(game);
    sg_context_destroy(context);
}

SG_TEST(Game, HotspotsMayHoldZero) {
    static const uint64_t heaps[] = {9, 0, 9};
    sg_context *context = new_context();
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create(context, "squares", &game), SG_OK);
    ASSERT_EQ(sg_game_set_hotspots(context, game, "{3,0}"), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), "{0,3}");
    EXPECT_EQ(sg_game_set_hotspots(context, game, "{x}"), SG_ERROR_PARSE);
    EXPECT_TRUE(strstr(sg_last_error(context), "hotspot set member 'x'"));
    EXPECT_STREQ(sg_game_hotspots_name(game), "{0,3}");
    ASSERT_EQ(sg_game_set_hotspots_from_members(context, game, heaps, 3), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), "{0,9}");
    ASSERT_EQ(sg_game_set_hotspots(context, game, text_spec("0 4")), SG_OK);
    ASSERT_EQ(sg_game_set_hotspots_from_members(context, game, NULL, 0), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), NULL);
    ASSERT_EQ(sg_game_set_hotspots(context, game, "primes"), SG_OK);
    ASSERT_EQ(sg_game_set_hotspots(context, game, NULL), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), NULL);
    sg_game_destroy(game);
    sg_context_destroy(context);
}

SG_TEST(Game, IsMadeFromMembers) {
    static const uint64_t members[] = {7, 2, 4, 2, UINT64_MAX}, with_zero[] = {3, 0};
    uint64_t got[8], count = 0;
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create_from_members(context, members, 0, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(sg_last_error(context), "the set has no members");
    EXPECT_EQ(sg_game_create_from_members(context, with_zero, 2, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(strstr(sg_last_error(context), "index 1 is 0"));
    ASSERT_EQ(sg_game_create_from_members(context, members, 5, &game), SG_OK);
    EXPECT_STREQ(sg_game_set_name(game), "{2,4,7,18446744073709551615}");
    ASSERT_EQ(sg_game_members(context, game, 7, got, 8, &count), SG_OK);
    EXPECT_EQ(count, 2u);
    ASSERT_EQ(sg_game_members(context, game, 8, got, 8, &count), SG_OK);
    EXPECT_EQ(count, 3u);
    sg_game_destroy(game);
    sg_context_destroy(context);
}

SG_TEST(Game, CountsMembersThatDoNotFit) {
    uint64_t got[4] = {0, 0, 0, 77}, count = 0;
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create(NULL, "primes", &game), SG_OK);
    ASSERT_EQ(sg_game_members(NULL, game, 1000000, got, 3, &count), SG_OK);
    EXPECT_EQ(count, 78498u);
    EXPECT_EQ(got[0], 2u);
    EXPECT_EQ(got[2], 5u);
    EXPECT_EQ(got[3], 77u);
    ASSERT_EQ(sg_game_members(NULL, game, 1000000, NULL, 0, &count), SG_OK);
    EXPECT_EQ(count, 78498u);
    ASSERT_EQ(sg_game_members(NULL, game, 2, got, 3, &count), SG_OK);
    EXPECT_EQ(count, 0u);
    ASSERT_EQ(sg_game_members(NULL, game, 0, got, 3, &count), SG_OK);
    EXPECT_EQ(count, 0u);
    sg_game_destroy(game);
}

static bool odd_numbers(void *user, uint64_t index, uint64_t *member) {
    (void)user;
    *member = 2 * index + 1;
    return true;
}

SG_TEST(Game, IsMadeFromACallback) {
    uint64_t got[4], count = 0;
    bool is_member = false;
    sg_game *game = NULL;
    char name[] = "odd";
    ASSERT_EQ(sg_game_create_from_callback(NULL, name, odd_numbers, NULL, &game), SG_OK);
    name[0] = '?';
    EXPECT_STREQ(sg_game_set_name(game), "odd");
    ASSERT_EQ(sg_game_members(NULL, game, 100, got, 4, &count), SG_OK);
    EXPECT_EQ(count, 50u);
    EXPECT_EQ(got[3], 7u);
    ASSERT_EQ(sg_game_has_member(NULL, game, 1001, &is_member), SG_OK);
    EXPECT_TRUE(is_member);
    sg_game_destroy(game);
}

SG_TEST(Game, RefusesNull) {
    static const uint64_t members[] = {1};
    uint64_t count;
    bool is_member;
    sg_context *context = new_context();
    sg_game *game = NULL;
    EXPECT_EQ(sg_game_create(context, NULL, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(sg_last_error(context), "sg_game_create: set_spec is NULL");
    EXPECT_EQ(sg_game_create(context, "squares", NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_members(context, NULL, 1, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_members(context, members, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_callback(context, NULL, odd_numbers, NULL, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_callback(context, "odd", NULL, NULL, &game), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_callback(context, "odd", odd_numbers, NULL, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_hotspots(context, NULL, "{1}"), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_hotspots_from_members(context, NULL, members, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_play(context, NULL, SG_PLAY_MISERE), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_has_member(context, NULL, 1, &is_member), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_members(context, NULL, 1, NULL, 0, &count), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(sg_game_set_name(NULL), NULL);
    EXPECT_STREQ(sg_game_hotspots_name(NULL), NULL);
    EXPECT_FALSE(game);
    ASSERT_EQ(sg_game_create(context, "squares", &game), SG_OK);
    EXPECT_EQ(sg_game_set_hotspots_from_members(context, game, NULL, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_has_member(context, game, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_members(context, game, 9, NULL, 1, &count), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_members(context, game, 9, NULL, 0, NULL), SG_ERROR_INVALID_ARGUMENT);
    sg_game_destroy(game);
    sg_game_destroy(NULL);
    sg_context_destroy(context);
}
