// The C++ side of sgtest.h: registers C test bodies with GoogleTest and turns their checks into test part results.
//
// An ASSERT ends a test by longjmp. It jumps from the extern "C" functions below, which hold no object with a
// destructor, over frames of C code only, into TestBody: no C++ frame is skipped, so nothing is left undestroyed.
// Messages are built in functions that return first.

#include "sgtest.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using testing::Message;
using testing::PrintToString;
using testing::TestPartResult;

jmp_buf end_of_test;
std::vector<std::unique_ptr<testing::ScopedTrace>> traces;

class CTest : public testing::Test {
  public:
    explicit CTest(const std::function<void()> &body) : body_(body) {}

    void TestBody() override {
        if (setjmp(end_of_test) == 0)
            body_();
        while (!traces.empty()) // GoogleTest wants them ended in reverse order
            traces.pop_back();
    }

  private:
    const std::function<void()> &body_;
};

struct Entry {
    const char *suite;
    std::string name;
    const char *file;
    int line;
    std::function<void()> body;
};

// Filled by constructors in no known order with GoogleTest's own, so GoogleTest hears of the tests only in main().
std::vector<Entry> &entries() {
    static std::vector<Entry> list;
    return list;
}

int report(TestPartResult::Type type, const char *file, int line, const std::string &text) {
    testing::internal::AssertHelper(type, file, line, text.c_str()) = Message();
    return 0;
}

int fail(const char *file, int line, int fatal, const std::string &text) {
    return report(fatal ? TestPartResult::kFatalFailure : TestPartResult::kNonFatalFailure, file, line, text);
}

int end_unless(int holds, int fatal) {
    if (!holds && fatal)
        longjmp(end_of_test, 1);
    return holds;
}

__attribute__((format(printf, 1, 0))) std::string format_text(const char *format, va_list arguments) {
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    return text;
}

// GoogleTest allows any name, but ctest and filters want it plain.
std::string plain_name(const char *text) {
    std::string name;
    for (; *text != '\0'; text++)
        name += isalnum(static_cast<unsigned char>(*text)) ? *text : '_';
    return name;
}

template <class Int> bool compare(Int a, const char *op, Int b) {
    const std::string name = op;
    return name == "=="   ? a == b
           : name == "!=" ? a != b
           : name == "<"  ? a < b
           : name == "<=" ? a <= b
           : name == ">"  ? a > b
                          : a >= b;
}

template <class Int>
int check_integer(Int a, Int b, const char *op, const char *text_a, const char *text_b, const char *file, int line,
                  int fatal) {
    if (compare(a, op, b))
        return 1;
    Message text;
    text << "Expected: (" << text_a << ") " << op << " (" << text_b << "), actual: " << a << " vs " << b;
    return fail(file, line, fatal, text.GetString());
}

int check_true(int value, int wanted, const char *expression, const char *file, int line, int fatal) {
    if (value == wanted)
        return 1;
    Message text;
    text << "Value of: " << expression << "\n  Actual: " << (value != 0) << "\nExpected: " << (wanted != 0);
    return fail(file, line, fatal, text.GetString());
}

int check_near(double a, double b, double tolerance, const char *text_a, const char *text_b, const char *file, int line,
               int fatal) {
    const double difference = a > b ? a - b : b - a;
    if (difference <= tolerance)
        return 1;
    Message text;
    text << "The difference between " << text_a << " (" << a << ") and " << text_b << " (" << b << ") is " << difference
         << ", more than " << tolerance;
    return fail(file, line, fatal, text.GetString());
}

int check_string(const char *a, const char *b, const char *text_a, const char *text_b, const char *file, int line,
                 int fatal) {
    if (a != nullptr && b != nullptr ? strcmp(a, b) == 0 : a == b)
        return 1;
    Message text;
    text << "Expected equal strings:\n  " << text_a << "\n    which is " << PrintToString(a) << "\n  " << text_b
         << "\n    which is " << PrintToString(b);
    return fail(file, line, fatal, text.GetString());
}

int check_memory(const void *a, const void *b, size_t bytes, const char *text_a, const char *text_b, const char *file,
                 int line, int fatal) {
    const auto *x = static_cast<const unsigned char *>(a);
    const auto *y = static_cast<const unsigned char *>(b);
    size_t i = 0;
    while (i < bytes && x[i] == y[i])
        i++;
    if (i == bytes)
        return 1;
    Message text;
    text << text_a << " and " << text_b << " differ first at byte " << i << " of " << bytes << ": " << int{x[i]}
         << " vs " << int{y[i]};
    return fail(file, line, fatal, text.GetString());
}

__attribute__((format(printf, 3, 0))) void report_skip(const char *file, int line, const char *format,
                                                       va_list arguments) {
    report(TestPartResult::kSkip, file, line, format_text(format, arguments));
}

// Owns the directory that sgtest_tmpdir() hands out.
class TemporaryDirectory {
  public:
    TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "sgtest-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) {
            perror(path_.c_str());
            abort();
        }
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory &) = delete;
    TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

    const char *path() const {
        return path_.c_str();
    }

  private:
    std::string path_;
};

} // namespace

void sgtest_register(const char *suite, const char *name, const char *file, int line, sgtest_fn body) {
    entries().push_back({suite, name, file, line, body});
}

void sgtest_register_param(const char *suite, const char *name, const char *file, int line, sgtest_param_fn body,
                           size_t count, sgtest_name_fn namer) {
    for (size_t i = 0; i < count; i++) {
        const std::string element = namer != nullptr ? plain_name(namer(i)) : std::to_string(i);
        entries().push_back({suite, std::string(name) + "/" + element, file, line, [body, i] { body(i); }});
    }
}

int sgtest_check_true(int value, int wanted, const char *text, const char *file, int line) {
    return check_true(value, wanted, text, file, line, 0);
}

void sgtest_end_untrue(int wanted, const char *text, const char *file, int line) {
    check_true(!wanted, wanted, text, file, line, 1);
    longjmp(end_of_test, 1);
}

int sgtest_check_signed(int64_t a, int64_t b, const char *op, const char *text_a, const char *text_b, const char *file,
                        int line, int fatal) {
    return end_unless(check_integer(a, b, op, text_a, text_b, file, line, fatal), fatal);
}

int sgtest_check_unsigned(uint64_t a, uint64_t b, const char *op, const char *text_a, const char *text_b,
                          const char *file, int line, int fatal) {
    return end_unless(check_integer(a, b, op, text_a, text_b, file, line, fatal), fatal);
}

int sgtest_check_near(double a, double b, double tolerance, const char *text_a, const char *text_b, const char *file,
                      int line, int fatal) {
    return end_unless(check_near(a, b, tolerance, text_a, text_b, file, line, fatal), fatal);
}

int sgtest_check_string(const char *a, const char *b, const char *text_a, const char *text_b, const char *file,
                        int line, int fatal) {
    return end_unless(check_string(a, b, text_a, text_b, file, line, fatal), fatal);
}

int sgtest_check_memory(const void *a, const void *b, size_t bytes, const char *text_a, const char *text_b,
                        const char *file, int line, int fatal) {
    return end_unless(check_memory(a, b, bytes, text_a, text_b, file, line, fatal), fatal);
}

void sgtest_skip(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_skip(file, line, format, arguments);
    va_end(arguments);
    longjmp(end_of_test, 1);
}

int sgtest_trace_begin(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    traces.push_back(std::make_unique<testing::ScopedTrace>(file, line, format_text(format, arguments)));
    va_end(arguments);
    return 0;
}

void sgtest_trace_end(int *) {
    traces.pop_back();
}

const char *sgtest_tmpdir(void) {
    static const TemporaryDirectory directory;
    return directory.path();
}

int main(int argc, char **argv) {
    for (const Entry &entry : entries())
        testing::RegisterTest(entry.suite, entry.name.c_str(), nullptr, nullptr, entry.file, entry.line,
                              [&entry]() -> testing::Test * { return new CTest(entry.body); });
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
