/* Cost profiles: what is saved is loaded, what is wrong is refused by name, and no cost, however absurd, changes an
 * answer. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 64, TEXT_BYTES = 8192 };

static char folder_path[PATH_BYTES / 2]; /* "" while there is none */

/* A folder of this test's own, made on first use and removed by remove_files. */
static const char *folder(void) {
    if (!folder_path[0]) {
        snprintf(folder_path, sizeof folder_path, "/tmp/subgame-profile-XXXXXX");
        ASSERT_TRUE(mkdtemp(folder_path) != NULL);
    }
    return folder_path;
}

/* The text holds until a call with a name of the same first letter. */
static const char *file_named(const char *name) {
    static char paths[256][PATH_BYTES];
    char *path = paths[(unsigned char)name[0]];
    snprintf(path, PATH_BYTES, "%s/%s", folder(), name);
    return path;
}

/* Tests name their files "profile" and "other". */
static void remove_files(void) {
    unlink(file_named("profile"));
    unlink(file_named("other"));
    EXPECT_EQ(rmdir(folder()), 0); /* nothing else was left in it */
    folder_path[0] = '\0';
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ASSERT_TRUE(file != NULL);
    fputs(text, file);
    ASSERT_EQ(fclose(file), 0);
}

static void read_text(const char *path, char text[TEXT_BYTES]) {
    FILE *file = fopen(path, "r");
    ASSERT_TRUE(file != NULL);
    text[fread(text, 1, TEXT_BYTES - 1, file)] = '\0';
    fclose(file);
}

static sg_context *new_context(void) {
    sg_context *context = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    return context;
}

static sg_cost_info cost_at(sg_context *context, size_t index) {
    sg_cost_info cost = {.struct_size = sizeof cost};
    ASSERT_TRUE(sg_profile_cost(context, index, &cost));
    return cost;
}

static size_t cost_count(sg_context *context) {
    sg_cost_info cost = {.struct_size = sizeof cost};
    size_t count = 0;
    while (sg_profile_cost(context, count, &cost))
        count++;
    return count;
}

/* The head of a profile for this machine, from one that the library saved. */
static void head_of_profile(char head[TEXT_BYTES]) {
    ASSERT_EQ(sg_profile_save(test_context(), file_named("other")), SG_OK);
    read_text(file_named("other"), head);
    char *end = head;
    for (int line = 0; line < 3; line++) {
        end = strchr(end, '\n');
        ASSERT_TRUE(end != NULL);
        end++;
    }
    *end = '\0';
}

/* Writes a profile in which cost i is the text that value(i) gives. */
static void write_profile(const char *path, const char *(*value)(size_t index)) {
    char text[TEXT_BYTES];
    head_of_profile(text);
    for (size_t i = 0; i < cost_count(test_context()); i++) {
        size_t used = strlen(text);
        snprintf(text + used, TEXT_BYTES - used, "%s %s\n", cost_at(test_context(), i).name, value(i));
    }
    write_text(path, text);
}

static const char *some_value(size_t index) {
    static const char *const values[] = {"0.000001", "1", "12.5", "1000000", "3.141593", "0.25"};
    return values[index % (sizeof values / sizeof *values)];
}

SG_TEST(Profile, BuiltInCostsAreInForceAtFirst) {
    sg_context *context = new_context();
    EXPECT_GT(cost_count(context), UINT64_C(0));
    for (size_t i = 0; i < cost_count(context); i++) {
        sg_cost_info cost = cost_at(context, i);
        EXPECT_TRUE(cost.ns == cost.default_ns && cost.ns > 0);
        EXPECT_TRUE(strlen(cost.name) > 0 && strlen(cost.meaning) > 0);
    }
    sg_context_destroy(context);
}

SG_TEST(Profile, WhatIsLoadedIsSavedAgainToTheLetter) {
    char once[TEXT_BYTES], twice[TEXT_BYTES];
    sg_context *first = new_context(), *second = new_context();
    write_profile(file_named("profile"), some_value);
    ASSERT_EQ(sg_profile_load(first, file_named("profile")), SG_OK);
    for (size_t i = 0; i < cost_count(first); i++)
        EXPECT_TRUE(cost_at(first, i).ns == strtod(some_value(i), NULL));
    ASSERT_EQ(sg_profile_save(first, file_named("profile")), SG_OK);
    read_text(file_named("profile"), once);
    ASSERT_EQ(sg_profile_load(second, file_named("profile")), SG_OK);
    ASSERT_EQ(sg_profile_save(second, file_named("profile")), SG_OK);
    read_text(file_named("profile"), twice);
    EXPECT_EQ(strcmp(once, twice), 0);
    sg_context_destroy(first);
    sg_context_destroy(second);
    remove_files();
}

/* One thing wrong with a profile: the first place where `old` stands becomes `new`. */
typedef struct spoilt {
    const char *name;
    const char *old;
    const char *new;
    sg_status status;
    const char *mention;
} spoilt;

static const spoilt spoilts[] = {
    {"Version", "profile 1", "profile 2", SG_ERROR_UNSUPPORTED, "profile 1"},
    {"SomethingElse", "subgame", "#include", SG_ERROR_UNSUPPORTED, "line 1"},
    {"InstructionSet", "instruction_set ", "instruction_set sse", SG_ERROR_UNSUPPORTED, "'sse"},
    {"Processor", "processor ", "processor Abacus ", SG_ERROR_UNSUPPORTED, "'Abacus "},
    {"NoProcessor", "processor ", "machine ", SG_ERROR_PARSE, "'processor' is missing"},
    {"UnknownName", "segment_shift_ns", "segment_shove_ns", SG_ERROR_PARSE, "'segment_shove_ns'"},
    {"MissingName", "segment_shift_ns 0.000001\n", "", SG_ERROR_PARSE, "'segment_shift_ns' is missing"},
    {"NameTwice", "segment_shift_ns 0.000001\n", "segment_shift_ns 1\nsegment_shift_ns 1\n", SG_ERROR_PARSE, "twice"},
    {"Zero", "segment_shift_ns 0.000001", "segment_shift_ns 0", SG_ERROR_PARSE, "'0'"},
    {"Negative", "segment_shift_ns 0.000001", "segment_shift_ns -1", SG_ERROR_PARSE, "'-1'"},
    {"TooLarge", "segment_shift_ns 0.000001", "segment_shift_ns 1000001", SG_ERROR_PARSE, "'1000001'"},
    {"NotANumber", "segment_shift_ns 0.000001", "segment_shift_ns nan", SG_ERROR_PARSE, "'nan'"},
    {"Exponent", "segment_shift_ns 0.000001", "segment_shift_ns 1e3", SG_ERROR_PARSE, "'1e3'"},
    {"TwoPoints", "segment_shift_ns 0.000001", "segment_shift_ns 1.2.3", SG_ERROR_PARSE, "'1.2.3'"},
    {"NoValue", "segment_shift_ns 0.000001", "segment_shift_ns", SG_ERROR_PARSE, "segment_shift_ns"},
    {"EmptyLine", "segment_shift_ns", "\nsegment_shift_ns", SG_ERROR_PARSE, "unknown name ''"},
};

static const char *spoilt_name(size_t i) {
    return spoilts[i].name;
}

SG_TEST_P(Profile, IsRefusedWithItsFaultNamed, spoilt, spoilts, spoilt_name) {
    char text[TEXT_BYTES], wrong[TEXT_BYTES];
    sg_context *context = new_context();
    double before = cost_at(context, 0).ns;
    write_profile(file_named("profile"), some_value);
    read_text(file_named("profile"), text);
    char *place = strstr(text, param->old);
    ASSERT_TRUE(place != NULL);
    snprintf(wrong, sizeof wrong, "%.*s%s%s", (int)(place - text), text, param->new, place + strlen(param->old));
    write_text(file_named("profile"), wrong);
    EXPECT_EQ(sg_profile_load(context, file_named("profile")), param->status);
    EXPECT_TRUE(strstr(sg_last_error(context), param->mention) != NULL);
    EXPECT_TRUE(strstr(sg_last_error(context), "line ") != NULL);
    EXPECT_TRUE(cost_at(context, 0).ns == before);
    sg_context_destroy(context);
    remove_files();
}

SG_TEST(Profile, CutOffOrNotThereIsRefused) {
    char text[TEXT_BYTES];
    EXPECT_EQ(sg_profile_load(test_context(), file_named("profile")), SG_ERROR_IO);
    expect_well_formed_error();
    write_profile(file_named("profile"), some_value);
    read_text(file_named("profile"), text);
    text[strlen(text) - 1] = '\0'; /* the last number may have gone on */
    write_text(file_named("profile"), text);
    EXPECT_EQ(sg_profile_load(test_context(), file_named("profile")), SG_ERROR_PARSE);
    write_text(file_named("profile"), "");
    EXPECT_EQ(sg_profile_load(test_context(), file_named("profile")), SG_ERROR_UNSUPPORTED);
    EXPECT_EQ(sg_profile_load(test_context(), NULL), SG_ERROR_INVALID_ARGUMENT);
    remove_files();
}

SG_TEST(Profile, IsWrittenToFilesOnly) {
    struct stat status;
    EXPECT_EQ(sg_profile_save(test_context(), "/dev/null"), SG_ERROR_IO);
    EXPECT_TRUE(stat("/dev/null", &status) == 0 && !S_ISREG(status.st_mode));
    EXPECT_EQ(sg_profile_save(test_context(), folder()), SG_ERROR_IO);
    EXPECT_EQ(sg_profile_save(test_context(), file_named("none/profile")), SG_ERROR_IO);
    expect_well_formed_error();
    EXPECT_EQ(sg_profile_save(test_context(), ""), SG_ERROR_INVALID_ARGUMENT);
    remove_files();
}

/* --- absurd profiles --- */

static const char *all_tiny(size_t index) {
    (void)index;
    return "0.000001";
}

static const char *all_huge(size_t index) {
    (void)index;
    return "1000000";
}

static const char *odd_ones_huge(size_t index) {
    return index % 2 ? "1000000" : "0.000001";
}

static const char *even_ones_huge(size_t index) {
    return index % 2 ? "0.000001" : "1000000";
}

typedef const char *(*absurdity)(size_t index);
static const absurdity absurdities[] = {all_tiny, all_huge, odd_ones_huge, even_ones_huge};

static uint64_t fingerprint_with(sg_context *context, const char *set, sg_mode mode, uint64_t n) {
    sg_game *game = NULL;
    sg_result *result = NULL;
    ASSERT_EQ(sg_game_create(context, set, &game), SG_OK);
    ASSERT_EQ(sg_solve(context, game, mode, n, NULL, &result), SG_OK);
    uint64_t fingerprint = fingerprint_of(result);
    sg_result_destroy(result);
    sg_game_destroy(game);
    return fingerprint;
}

SG_TEST_P(Profile, AbsurdCostsChangeNoBit, absurdity, absurdities, NULL) {
    static const char *const sets[] = {"squares", "primes", "random{3,1/100}", "triangular", "{2,4,7}"};
    sg_context *built_in = new_context(), *absurd = new_context();
    write_profile(file_named("profile"), *param);
    ASSERT_EQ(sg_profile_load(absurd, file_named("profile")), SG_OK);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        /* Longer than pilots, so that there is a choice. */
        uint64_t cold_n = scaled(1000003, 200003), nim_n = scaled(20011, 9001);
        SG_TRACE("%s", sets[i]);
        EXPECT_EQ(fingerprint_with(absurd, sets[i], SG_MODE_COLD, cold_n),
                  fingerprint_with(built_in, sets[i], SG_MODE_COLD, cold_n));
        EXPECT_EQ(fingerprint_with(absurd, sets[i], SG_MODE_NIM, nim_n),
                  fingerprint_with(built_in, sets[i], SG_MODE_NIM, nim_n));
    }
    sg_context_destroy(built_in);
    sg_context_destroy(absurd);
    remove_files();
}

/* --- calibration --- */

typedef struct watched {
    double fraction;
    uint64_t calls;
    uint64_t stop_after; /* calls; 0: never */
    bool fell;
} watched;

static bool watch(void *user, const sg_progress *progress) {
    watched *seen = user;
    seen->fell |= progress->fraction < seen->fraction || progress->fraction > 1;
    seen->fraction = progress->fraction;
    return ++seen->calls != seen->stop_after;
}

SG_TEST(Profile, CalibrationFindsCostsThatCanBeKept) {
    sg_context *context = new_context(), *later = new_context();
    sg_calibrate_options options;
    sg_calibration found = {.struct_size = sizeof found};
    watched seen = {0};
    bool differs = false;
    sg_calibrate_options_init(&options);
    options.seconds = 0.01;
    options.progress = watch;
    options.progress_user = &seen;
    ASSERT_EQ(sg_calibrate(context, &options, &found), SG_OK);
    EXPECT_GT(found.solves, 10U);
    EXPECT_TRUE(found.seconds > 0 && found.error_after >= 0 && found.error_after < found.error_before + 0.1);
    EXPECT_TRUE(seen.calls > 10 && !seen.fell);
    ASSERT_EQ(sg_profile_save(context, file_named("profile")), SG_OK);
    ASSERT_EQ(sg_profile_load(later, file_named("profile")), SG_OK);
    for (size_t i = 0; i < cost_count(context); i++) {
        double ns = cost_at(context, i).ns, difference = cost_at(later, i).ns - ns;
        differs |= ns != cost_at(context, i).default_ns;
        EXPECT_TRUE(ns > 0 && difference < 1e-6 && difference > -1e-6);
    }
    EXPECT_TRUE(differs);
    EXPECT_EQ(fingerprint_with(context, "squares", SG_MODE_COLD, 200000),
              fingerprint_with(test_context(), "squares", SG_MODE_COLD, 200000));
    sg_context_destroy(context);
    sg_context_destroy(later);
    remove_files();
}

SG_TEST(Profile, CancelledCalibrationLeavesCostsAsTheyWere) {
    sg_context *context = new_context();
    sg_calibrate_options options;
    watched seen = {.stop_after = 1};
    sg_calibrate_options_init(&options);
    options.progress = watch;
    options.progress_user = &seen;
    EXPECT_EQ(sg_calibrate(context, &options, NULL), SG_ERROR_CANCELLED);
    EXPECT_EQ(seen.calls, UINT64_C(1));
    for (size_t i = 0; i < cost_count(context); i++)
        EXPECT_TRUE(cost_at(context, i).ns == cost_at(context, i).default_ns);
    options.seconds = 0;
    EXPECT_EQ(sg_calibrate(context, &options, NULL), SG_ERROR_INVALID_ARGUMENT);
    sg_context_destroy(context);
}
