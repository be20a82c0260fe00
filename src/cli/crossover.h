/* --crossover: every way to solve one game, timed over doubling sizes, and where one overtakes another. What the sweep
 * measures, what is concluded from it, and the forms in which both are told. */
#ifndef CLI_CROSSOVER_H
#define CLI_CROSSOVER_H

#include "options.h"
#include "sink.h"

enum { SERIES_MAX = 32, OCTAVES_MAX = 64, FIRST_OCTAVE = 10 };

typedef struct crossover_point {
    uint64_t n;
    double seconds; /* least of the runs, from call to result */
    uint32_t runs;  /* 0: not measured */
} crossover_point;

/* The curve factor * n^exponent * log2(n)^log_power, fitted to the last points. */
typedef struct crossover_fit {
    double factor; /* seconds; 0: too few points */
    double exponent;
    double exponent_error; /* standard error */
    unsigned log_power;    /* by theory: 2 for convolutions, else 0 */
    double middle;         /* log2 n of the middle of the fitted points, around which errors turn */
} crossover_fit;

typedef struct crossover_series {
    sg_engine engine;
    sg_backend backend;
    char name[32]; /* "split (cpu)" */
    crossover_point points[OCTAVES_MAX];
    size_t count;
    const char *stopped; /* why there are no more: "time", "memory" or "limit"; static storage */
    crossover_fit fit;
} crossover_series;

/* What the solves found, whichever engine it was. */
typedef struct crossover_facts {
    uint64_t n;
    uint64_t fingerprint;
    uint64_t cold_count;
    uint64_t member_count;
    uint64_t max_value;
} crossover_facts;

typedef enum crossing_kind {
    CROSSING_MEASURED,     /* between two measured sizes, by interpolation in log-log */
    CROSSING_EXTRAPOLATED, /* of the fitted curves */
    CROSSING_NONE          /* neither: `winner` is ahead at all sizes, and its curve stays ahead */
} crossing_kind;

typedef struct crossing {
    crossing_kind kind;
    const crossover_series *winner; /* from there on */
    const crossover_series *loser;
    double log2_n;    /* unset for CROSSING_NONE */
    double log2_low;  /* extrapolated: where it would be if the exponents were off by two standard errors either way; */
    double log2_high; /* infinite: then they might not cross at all */
} crossing;

/* The paper's comparison, in which every constant is 1 (section 4): by convolution against the plain way. */
typedef struct crossover_theory {
    double member_exponent; /* |S| ~ n^this, and so on: repeated medians of the measured growth */
    double cold_exponent;
    double value_exponent;
    double plain_exponent; /* cold: marks of the sieve, |C||S|; nim: options of the recurrence, n|S| */
    double gain;           /* plain exponent less that of convolution, whose logarithms stand aside */
    double log2_n;         /* where n^gain = log2(n)^2; infinite: nowhere */
    bool known;            /* enough was measured */
} crossover_theory;

typedef struct crossover {
    sg_context *context;
    const cli_options *options;
    const sg_game *game;
    sg_mode mode; /* cold or nim */
    double budget_seconds;
    double seconds; /* that it took */
    crossover_series series[SERIES_MAX];
    size_t series_count;
    crossover_facts facts[OCTAVES_MAX];
    size_t octaves;
    /* For each pair of ways the last measured one and the extrapolated one, as far as there are, else that there is
     * none.
     */
    crossing crossings[SERIES_MAX * (SERIES_MAX - 1)];
    size_t crossing_count;
    crossover_theory theory;
    uint32_t threads; /* of the solves that have work for several */
} crossover;

/* crossover_sweep.c: fills in series, facts and seconds; reports what goes wrong. */
exit_status crossover_sweep(crossover *sweep);

/* crossover_fit.c: the conclusions. */
void crossover_conclude(crossover *sweep);

/* crossover_print.c, crossover_json.c */
void crossover_print(const crossover *sweep, sink *out);
void crossover_write_csv(const crossover *sweep, sink *out);
void crossover_write_json(const crossover *sweep, sink *out);

/* crossover_plot.c: whether gnuplot is there, so that nobody waits for a sweep in vain; and the plot. */
exit_status crossover_plot_check(void);
exit_status crossover_plot(const crossover *sweep, const char *path);

#endif
