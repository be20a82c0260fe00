/* GoogleTest for test files in C11.
 *
 * Tests register themselves from constructors; main() is in sgtest.cpp. A failed check reports the line of the C file.
 * EXPECT_x goes on, ASSERT_x ends the test at once by a longjmp to the runner: what the test has allocated by then is
 * leaked, which is why ASSERT is for failures that make going on pointless. EXPECT_x may be used from any thread,
 * ASSERT_x, SG_SKIP and SG_TRACE only from the thread that runs the test. Arguments are evaluated once.
 *
 *     SG_TEST(Parse, RejectsEmptyText) { EXPECT_EQ(parse(""), SG_ERROR_PARSE); }
 *
 *     static const uint64_t sizes[] = {0, 1, 63, 64, 65};
 *     SG_TEST_P(Bits, RoundTrip, uint64_t, sizes, NULL) { EXPECT_TRUE(round_trip(*param)); }
 *
 * A test with "Slow" in its name is left out of the quick run (see subgame_test in tests/CMakeLists.txt).
 */
#ifndef SGTEST_H
#define SGTEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defines the test suite.name; its body follows. */
#define SG_TEST(suite, name)                                                                                           \
    static void suite##_##name##_body(void);                                                                           \
    __attribute__((constructor)) static void suite##_##name##_register(void) {                                         \
        sgtest_register(#suite, #name, __FILE__, __LINE__, suite##_##name##_body);                                     \
    }                                                                                                                  \
    static void suite##_##name##_body(void)

/* Defines one test for each element of the array of `type`; in the body, `param` points at the element. `namer` gives
 * the name of element i, or is NULL: the index is the name. */
#define SG_TEST_P(suite, name, type, array, namer)                                                                     \
    static void suite##_##name##_body(const type *param);                                                              \
    static void suite##_##name##_call(size_t index) {                                                                  \
        suite##_##name##_body(&(array)[index]);                                                                        \
    }                                                                                                                  \
    __attribute__((constructor)) static void suite##_##name##_register(void) {                                         \
        sgtest_register_param(#suite, #name, __FILE__, __LINE__, suite##_##name##_call,                                \
                              sizeof(array) / sizeof((array)[0]), namer);                                              \
    }                                                                                                                  \
    static void suite##_##name##_body(const type *param)

/* Integers (also bool and enums) of any width and signedness up to 64 bits. */
#define EXPECT_EQ(a, b) SG_COMPARE_(a, b, "==", 0)
#define EXPECT_NE(a, b) SG_COMPARE_(a, b, "!=", 0)
#define EXPECT_LT(a, b) SG_COMPARE_(a, b, "<", 0)
#define EXPECT_LE(a, b) SG_COMPARE_(a, b, "<=", 0)
#define EXPECT_GT(a, b) SG_COMPARE_(a, b, ">", 0)
#define EXPECT_GE(a, b) SG_COMPARE_(a, b, ">=", 0)
#define ASSERT_EQ(a, b) SG_COMPARE_(a, b, "==", 1)
#define ASSERT_NE(a, b) SG_COMPARE_(a, b, "!=", 1)
#define ASSERT_LT(a, b) SG_COMPARE_(a, b, "<", 1)
#define ASSERT_LE(a, b) SG_COMPARE_(a, b, "<=", 1)
#define ASSERT_GT(a, b) SG_COMPARE_(a, b, ">", 1)
#define ASSERT_GE(a, b) SG_COMPARE_(a, b, ">=", 1)

/* Anything with a truth value, pointers too. ASSERT_TRUE(p != NULL) tells compiler and analyzer that p is not NULL from
 * there on. */
#define EXPECT_TRUE(x)  sgtest_check_true(!!(x), 1, #x, SG_HERE_)
#define EXPECT_FALSE(x) sgtest_check_true(!!(x), 0, #x, SG_HERE_)
#define ASSERT_TRUE(x)  ((x) ? (void)0 : sgtest_end_untrue(1, #x, SG_HERE_))
#define ASSERT_FALSE(x) ((x) ? sgtest_end_untrue(0, #x, SG_HERE_) : (void)0)

/* |a - b| <= tolerance; a NaN is never near. */
#define EXPECT_NEAR(a, b, tolerance) sgtest_check_near(a, b, tolerance, #a, #b, SG_HERE_, 0)
#define ASSERT_NEAR(a, b, tolerance) sgtest_check_near(a, b, tolerance, #a, #b, SG_HERE_, 1)

/* Strings; NULL equals only NULL. */
#define EXPECT_STREQ(a, b) sgtest_check_string(a, b, #a, #b, SG_HERE_, 0)
#define ASSERT_STREQ(a, b) sgtest_check_string(a, b, #a, #b, SG_HERE_, 1)

/* `bytes` bytes of memory; reports the first that differs. */
#define EXPECT_MEMEQ(a, b, bytes) sgtest_check_memory(a, b, bytes, #a, #b, SG_HERE_, 0)
#define ASSERT_MEMEQ(a, b, bytes) sgtest_check_memory(a, b, bytes, #a, #b, SG_HERE_, 1)

/* Ends the test as skipped, with a reason (printf format). */
#define SG_SKIP(...) sgtest_skip(SG_HERE_, __VA_ARGS__)

/* Says (printf format) what is being tried until the end of the enclosing block; failed checks print it. */
#define SG_TRACE(...)                                                                                                  \
    __attribute__((cleanup(sgtest_trace_end), unused)) int SG_PASTE_(sgtest_trace_, __LINE__) =                        \
        sgtest_trace_begin(SG_HERE_, __VA_ARGS__)

/* An empty directory of this process, without a final slash; it is removed with its content when the tests end. */
const char *sgtest_tmpdir(void);

/* ---------------------------------------------------------------- what the macros call */

#define SG_HERE_              __FILE__, __LINE__
#define SG_PASTE_AGAIN_(a, b) a##b
#define SG_PASTE_(a, b)       SG_PASTE_AGAIN_(a, b)

/* The common type of both operands, as C would compare them, picks the comparison, so that 2^63 and -1 print and
 * compare right. Floating point does not compile: it has EXPECT_NEAR. */
#define SG_COMPARE_(a, b, op, fatal)                                                                                   \
    _Generic(1 ? (a) : (b), float                                                                                      \
             : sgtest_use_EXPECT_NEAR_for_floats, double                                                               \
             : sgtest_use_EXPECT_NEAR_for_floats, unsigned int                                                         \
             : sgtest_check_unsigned, unsigned long                                                                    \
             : sgtest_check_unsigned, unsigned long long                                                               \
             : sgtest_check_unsigned, default                                                                          \
             : sgtest_check_signed)((a), (b), op, #a, #b, SG_HERE_, fatal)

typedef void (*sgtest_fn)(void);
typedef void (*sgtest_param_fn)(size_t index);
typedef const char *(*sgtest_name_fn)(size_t index);

void sgtest_register(const char *suite, const char *name, const char *file, int line, sgtest_fn body);
void sgtest_register_param(const char *suite, const char *name, const char *file, int line, sgtest_param_fn body,
                           size_t count, sgtest_name_fn namer);

/* Each check returns 1 when it holds; with fatal != 0 it does not return otherwise. */
int sgtest_check_true(int value, int wanted, const char *text, const char *file, int line);
void sgtest_end_untrue(int wanted, const char *text, const char *file, int line) __attribute__((noreturn));
int sgtest_check_signed(int64_t a, int64_t b, const char *op, const char *text_a, const char *text_b, const char *file,
                        int line, int fatal);
int sgtest_check_unsigned(uint64_t a, uint64_t b, const char *op, const char *text_a, const char *text_b,
                          const char *file, int line, int fatal);
int sgtest_check_near(double a, double b, double tolerance, const char *text_a, const char *text_b, const char *file,
                      int line, int fatal);
int sgtest_check_string(const char *a, const char *b, const char *text_a, const char *text_b, const char *file,
                        int line, int fatal);
int sgtest_check_memory(const void *a, const void *b, size_t bytes, const char *text_a, const char *text_b,
                        const char *file, int line, int fatal);
void sgtest_use_EXPECT_NEAR_for_floats(void);

void sgtest_skip(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4), noreturn));
int sgtest_trace_begin(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sgtest_trace_end(int *trace);

#ifdef __cplusplus
}
#endif

#endif
