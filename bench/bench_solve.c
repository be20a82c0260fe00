/* Ours against the plain way, see solve_cases.h. Baseline and ours take turns in one process; each keeps its least
 * time. */
#include "solve_cases.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CASES_MAX = 16, THREADS_MAX = 1024, THREAD_COUNTS_MAX = 16, OCTAVES = 6, ROUNDS_MAX = 20 };

typedef struct settings {
    const solve_case *cases[CASES_MAX];
    size_t case_count;
    bool named_cases;
    uint64_t n; /* 0: each case's own */
    unsigned threads[THREAD_COUNTS_MAX];
    size_t thread_counts;
    double seconds; /* a case is repeated while it has taken less */
    bool json;
    bool growth;
} settings;

/* What is kept of one contender at one size. */
typedef struct least {
    trial_run run; /* the fastest */
    unsigned runs;
} least;

/* One line of results. */
typedef struct line {
    const solve_case *which;
    uint64_t n;
    unsigned threads;
    unsigned baseline_threads;
    least baseline;
    least ours;
} line;

_Noreturn static void stop_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn static void stop_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench_solve: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\nTry 'bench_solve --help'.\n", stderr);
    exit(2);
}

static void print_help(void) {
    puts("usage: bench_solve [OPTIONS]\n\n"
         "Times whole solves against a baseline in the same process. Every answer is compared\n"
         "with the baseline's, bit by bit. Times are the least of the runs.\n\n"
         "  --case NAME[,NAME]    only these (repeatable)\n"
         "  -n N                  heap sizes, by the command's number grammar: 2^28, 1e6\n"
         "  --threads T[,T]       thread counts (default 1 and one per processor)\n"
         "  --seconds S           repeat a case while it has taken less than this (default 4)\n"
         "  --growth              measure six octaves up to N, and fit exponents\n"
         "  --json                one JSON object a line: case, set, mode, n, threads, baseline,\n"
         "                        baseline_threads, baseline_seconds, baseline_runs, engine,\n"
         "                        instruction_set, seconds, runs, ratio (baseline to ours),\n"
         "                        checked, peak_bytes, estimated_bytes; with --growth also one a case\n"
         "                        and thread count: growth, case, threads, n_from, n_to,\n"
         "                        baseline_exponent, exponent; for a case that this build lacks:\n"
         "                        case, checked (false), missing\n"
         "  --help\n\n"
         "case                  set             default n   ours          baseline");
    for (size_t i = 0; i < solve_case_count; i++) {
        const solve_case *which = &solve_cases[i];
        const char *missing = solve_case_missing(which);
        printf("%-21s %-15s 2^%-9.0f %-13s %s%s%s%s\n", which->name, which->set, log2((double)which->n),
               sg_engine_name(which->engine), solve_case_baseline_name(which), missing ? " (" : "",
               missing ? missing : "", missing ? ")" : "");
    }
}

/* The next item of a comma list; *text moves past it, and is NULL after the last. */
static size_t next_item(const char **text, const char **item) {
    size_t length = strcspn(*text, ",");
    *item = *text;
    *text = (*text)[length] == ',' ? *text + length + 1 : NULL;
    return length;
}

static void add_cases(settings *chosen, const char *text) {
    do {
        const char *item;
        size_t length = next_item(&text, &item);
        const solve_case *which = solve_case_named(item, length);
        if (!which)
            stop_usage("--case '%.*s': no such case", (int)length, item);
        if (chosen->case_count == CASES_MAX)
            stop_usage("--case '%s': too many", which->name);
        chosen->cases[chosen->case_count++] = which;
    } while (text);
    chosen->named_cases = true;
}

static uint64_t read_number(sg_context *context, const char *option, const char *text) {
    uint64_t value;
    if (sg_parse_number(context, text, &value) != SG_OK)
        stop_usage("%s: %s", option, sg_last_error(context));
    return value;
}

static void add_threads(sg_context *context, settings *chosen, const char *text) {
    do {
        const char *item;
        char number[32];
        size_t length = next_item(&text, &item);
        snprintf(number, sizeof number, "%.*s", (int)length, item);
        uint64_t threads = read_number(context, "--threads", number);
        if (threads < 1 || threads > THREADS_MAX)
            stop_usage("--threads '%s': out of range; accepted is 1 to %d", number, THREADS_MAX);
        if (chosen->thread_counts == THREAD_COUNTS_MAX)
            stop_usage("--threads '%s': too many", number);
        chosen->threads[chosen->thread_counts++] = (unsigned)threads;
    } while (text);
}

static double read_seconds(const char *text) {
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0 && seconds <= 1e6))
        stop_usage("--seconds '%s': not a number of seconds", text);
    return seconds;
}

static void fill_defaults(settings *chosen) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!chosen->named_cases)
        for (size_t i = 0; i < solve_case_count; i++)
            chosen->cases[chosen->case_count++] = &solve_cases[i];
    if (chosen->thread_counts)
        return;
    chosen->threads[chosen->thread_counts++] = 1;
    if (processors > 1)
        chosen->threads[chosen->thread_counts++] = processors < THREADS_MAX ? (unsigned)processors : THREADS_MAX;
}

static settings read_arguments(sg_context *context, int argc, char **argv) {
    static const struct option names[] = {{"case", required_argument, NULL, 'c'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"growth", no_argument, NULL, 'g'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    settings chosen = {.seconds = 4};
    for (int option; (option = getopt_long(argc, argv, "n:", names, NULL)) != -1;)
        switch (option) {
        case 'c':
            add_cases(&chosen, optarg);
            break;
        case 'n':
            chosen.n = read_number(context, "-n", optarg);
            if (chosen.n < 1)
                stop_usage("-n '%s': out of range; accepted is 1 or more", optarg);
            break;
        case 't':
            add_threads(context, &chosen, optarg);
            break;
        case 's':
            chosen.seconds = read_seconds(optarg);
            break;
        case 'g':
            chosen.growth = true;
            break;
        case 'j':
            chosen.json = true;
            break;
        case 'h':
            print_help();
            exit(0);
        default:
            exit(2); /* getopt_long has named the argument */
        }
    if (optind < argc)
        stop_usage("unexpected argument '%s'", argv[optind]);
    fill_defaults(&chosen);
    return chosen;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What is running, for who sits and waits. */
static void show_progress(const trial *t, const char *contender, unsigned threads) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, n = %" PRIu64 ": %s, %u thread%s", t->which->name, t->n, contender, threads,
                threads == 1 ? "" : "s");
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void keep(least *kept, trial_run run) {
    if (!kept->runs || run.seconds < kept->run.seconds)
        kept->run = run;
    kept->runs++;
}

/* Runs a case at one size for all thread counts, in turns, and fills a line for each. A baseline without threads is one
 * contender, however many lines it stands in. */
static void measure(sg_context *context, const settings *chosen, const solve_case *which, uint64_t n, line *lines) {
    bool threaded = solve_case_baseline_is_threaded(which);
    double start = now();
    trial t;
    trial_open(&t, context, which, n);
    for (size_t i = 0; i < chosen->thread_counts; i++)
        lines[i] = (line){.which = which,
                          .n = n,
                          .threads = chosen->threads[i],
                          .baseline_threads = threaded ? chosen->threads[i] : 1};
    for (unsigned round = 0; round == 0 || (round < ROUNDS_MAX && now() - start < chosen->seconds); round++)
        for (size_t i = 0; i < chosen->thread_counts; i++) {
            if (threaded || i == 0) {
                show_progress(&t, "baseline", lines[i].baseline_threads);
                keep(&lines[i].baseline, trial_run_baseline(&t, lines[i].baseline_threads));
            }
            show_progress(&t, "ours", lines[i].threads);
            keep(&lines[i].ours, trial_run_ours(&t, lines[i].threads));
        }
    for (size_t i = 1; i < chosen->thread_counts && !threaded; i++)
        lines[i].baseline = lines[0].baseline;
    clear_progress();
    trial_close(&t);
}

static void print_line(const settings *chosen, const line *l) {
    const trial_run *ours = &l->ours.run;
    double baseline_seconds = l->baseline.run.seconds, ratio = baseline_seconds / ours->seconds;
    if (chosen->json)
        printf("{\"case\": \"%s\", \"set\": \"%s\", \"mode\": \"%s\", \"n\": %" PRIu64 ", \"threads\": %u, "
               "\"baseline\": \"%s\", \"baseline_threads\": %u, \"baseline_seconds\": %.6f, \"baseline_runs\": %u, "
               "\"engine\": \"%s\", \"instruction_set\": \"%s\", \"seconds\": %.6f, \"runs\": %u, \"ratio\": %.3f, "
               "\"checked\": true, \"peak_bytes\": %" PRIu64 ", \"estimated_bytes\": %" PRIu64 "}\n",
               l->which->name, l->which->set, sg_mode_name(l->which->mode), l->n, l->threads,
               solve_case_baseline_name(l->which), l->baseline_threads, baseline_seconds, l->baseline.runs,
               sg_engine_name(ours->engine), ours->instruction_set, ours->seconds, l->ours.runs, ratio,
               ours->peak_bytes, ours->estimated_bytes);
    else
        printf("%-20s %12" PRIu64 " %7u  %-12s %10.4f %10.4f %8.2f  %-11s %9.1f %9.1f\n", l->which->name, l->n,
               l->threads, solve_case_baseline_name(l->which), baseline_seconds, ours->seconds, ratio,
               sg_engine_name(ours->engine), (double)ours->peak_bytes / 1048576,
               (double)ours->estimated_bytes / 1048576);
    fflush(stdout);
}

/* The exponent b of a*n^b, by least squares on logarithms. */
static double fitted_exponent(const double *n, const double *seconds, size_t count) {
    double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
    for (size_t i = 0; i < count; i++) {
        double x = log(n[i]), y = log(seconds[i]);
        x_sum += x;
        y_sum += y;
        xx_sum += x * x;
        xy_sum += x * y;
    }
    return ((double)count * xy_sum - x_sum * y_sum) / ((double)count * xx_sum - x_sum * x_sum);
}

static void print_growth(const settings *chosen, line lines[OCTAVES][THREAD_COUNTS_MAX], size_t octaves) {
    for (size_t i = 0; i < chosen->thread_counts; i++) {
        double n[OCTAVES], baseline[OCTAVES], ours[OCTAVES];
        const line *first = &lines[0][i], *last = &lines[octaves - 1][i];
        for (size_t octave = 0; octave < octaves; octave++) {
            n[octave] = (double)lines[octave][i].n;
            baseline[octave] = lines[octave][i].baseline.run.seconds;
            ours[octave] = lines[octave][i].ours.run.seconds;
        }
        double baseline_exponent = fitted_exponent(n, baseline, octaves), exponent = fitted_exponent(n, ours, octaves);
        if (chosen->json)
            printf("{\"growth\": true, \"case\": \"%s\", \"threads\": %u, \"n_from\": %" PRIu64 ", \"n_to\": %" PRIu64
                   ", \"baseline_exponent\": %.4f, \"exponent\": %.4f}\n",
                   first->which->name, first->threads, first->n, last->n, baseline_exponent, exponent);
        else
            printf("%-20s from %" PRIu64 " to %" PRIu64 ", %u thread%s: baseline ~ n^%.3f, ours ~ n^%.3f\n",
                   first->which->name, first->n, last->n, first->threads, first->threads == 1 ? "" : "s",
                   baseline_exponent, exponent);
        fflush(stdout);
    }
}

static void run_case(sg_context *context, const settings *chosen, const solve_case *which) {
    static line lines[OCTAVES][THREAD_COUNTS_MAX];
    uint64_t n = chosen->n ? chosen->n : which->n;
    size_t octaves = 0, wanted = chosen->growth ? OCTAVES : 1;
    for (size_t octave = 0; octave < wanted; octave++) {
        uint64_t size = n >> (wanted - 1 - octave);
        if (!size)
            stop_usage("--growth: n = %" PRIu64 " has no six octaves below it", n);
        measure(context, chosen, which, size, lines[octaves]);
        for (size_t i = 0; i < chosen->thread_counts; i++)
            print_line(chosen, &lines[octaves][i]);
        octaves++;
    }
    if (chosen->growth)
        print_growth(chosen, lines, octaves);
}

/* As the command does: idle OpenMP threads that spin would slow down what other programs share the machine with, and so
 * us. It can only be set before the program starts. */
static void start_with_passive_waiting(char **argv) {
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    sg_context *context = NULL;
    int status = 0;
    start_with_passive_waiting(argv);
    if (sg_context_create(&context) != SG_OK)
        return 1;
    settings chosen = read_arguments(context, argc, argv);
    if (!chosen.json)
        printf("%-20s %12s %7s  %-12s %10s %10s %8s  %-11s %9s %9s\n", "case", "n", "threads", "baseline", "baseline s",
               "ours s", "ratio", "engine", "peak MiB", "foreseen");
    for (size_t i = 0; i < chosen.case_count; i++) {
        const char *missing = solve_case_missing(chosen.cases[i]);
        if (!missing)
            run_case(context, &chosen, chosen.cases[i]);
        else if (chosen.json)
            printf("{\"case\": \"%s\", \"checked\": false, \"missing\": \"%s\"}\n", chosen.cases[i]->name, missing);
        else
            printf("%-20s not measured: %s\n", chosen.cases[i]->name, missing);
        if (missing && chosen.named_cases)
            status = 1; /* it was asked for */
    }
    sg_context_destroy(context);
    return status;
}
