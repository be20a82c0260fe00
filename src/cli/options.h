/* The command line: one table that the parser, the defaults and --help share, and the values that it fills in. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_number {
    uint64_t value;
    bool given; /* on the command line, as against the default */
} cli_number;

/* The modes: the library's ways to solve, whose numbers are those of sg_mode, and what solves nothing. */
typedef enum cli_mode {
    MODE_COLD = SG_MODE_COLD,
    MODE_NIM = SG_MODE_NIM,
    MODE_REMOTENESS = SG_MODE_REMOTENESS,
    MODE_DEVICES,
    MODE_CALIBRATE,
    MODE_CROSSOVER
} cli_mode;

/* Sets of modes, a bit each. */
enum {
    IN_SOLVES = 1 << MODE_COLD | 1 << MODE_NIM | 1 << MODE_REMOTENESS,
    IN_CALIBRATE = 1 << MODE_CALIBRATE,
    IN_CROSSOVER = 1 << MODE_CROSSOVER,
    IN_ALL = IN_SOLVES | 1 << MODE_DEVICES | IN_CALIBRATE | IN_CROSSOVER
};

typedef struct cli_options {
    int mode;                /* a cli_mode */
    const char *mode_option; /* the option that chose it, NULL for the default */
    bool crossover;          /* then the mode is MODE_CROSSOVER, and what is compared is: */
    sg_mode compared;
    uint64_t given; /* rows of the table that stood on the command line, a bit each */
    const char *set;
    const char *hotspots; /* NULL: none */
    bool misere;
    cli_number limit;
    cli_number from;
    int engine;       /* an sg_engine */
    int near;         /* an sg_near */
    int backend;      /* an sg_backend */
    unsigned engines; /* those listed, a bit each: for --crossover; 0: none were */
    unsigned backends;
    cli_number device;
    cli_number threads;        /* 0: one per processor */
    cli_number memory_bytes;   /* 0: what the machine has */
    cli_number base_threshold; /* 0: automatic */
    cli_number rows;           /* 0: automatic */
    cli_number level_batch;    /* 0: automatic */
    const char *output;        /* NULL: standard output */
    int format;                /* index in the table of output.h */
    const char *plot;          /* NULL: none */
    cli_number offset;
    bool json;
    bool quiet;
    bool no_progress;
    cli_number seconds; /* 0: the mode's own */
    cli_number verify;  /* samples; UINT64_MAX: every heap size */
    bool help;
    bool version;
} cli_options;

typedef enum option_group {
    GROUP_MODE,
    GROUP_GAME,
    GROUP_RANGE,
    GROUP_ENGINE,
    GROUP_OUTPUT,
    GROUP_SAFETY,
    GROUP_OTHER,
    GROUP_COUNT
} option_group;

typedef enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_MODE,   /* int; takes no value, writes `fixed`; two different ones exclude each other */
    OPTION_TEXT,   /* const char * */
    OPTION_CHOICE, /* int; an index into `choice`; or a list of them, see `list_field` */
    OPTION_NUMBER, /* cli_number; minimum .. maximum, or `word` for `word_value` */
    OPTION_SIZE    /* cli_number of bytes; like a number, with units */
} option_kind;

/* One option. `field` is the offset in cli_options of a member with the type that the kind says. */
typedef struct option_row {
    const char *name;       /* without the dashes */
    char short_name;        /* 0: none */
    const char *value_name; /* NULL: takes no value */
    option_group group;
    option_kind kind;
    size_t field;
    int fixed;
    uint64_t minimum;
    uint64_t maximum;
    const char *word; /* NULL: none */
    uint64_t word_value;
    const char *(*choice)(int index); /* NULL past the last name */
    size_t list_field;                /* choices: offset of an unsigned, a bit for each name in a list; 0: no lists */
    const char *initial;              /* default as it would be typed; NULL: zero */
    unsigned modes;                   /* in which it has a meaning; 0: IN_SOLVES */
    const char *help;
} option_row;

extern const option_row option_table[];
extern const size_t option_table_length;

/* Fills `options` from defaults and arguments, and checks what can be checked without a game. Reports what is wrong.
 * With --help or --version nothing more is required. */
exit_status options_parse(sg_context *context, int argc, char **argv, cli_options *options);

/* Reads `text` into the row's field; `typed` is the option as the user wrote it. For options.c. */
exit_status option_read(sg_context *context, const option_row *row, const char *typed, const char *text,
                        cli_options *options);

/* The name in the table nearest to a mistyped one, or NULL when none is near. */
const char *option_nearest(const char *name, size_t length);

#endif
