#include "options.h"

#include "output.h"

#include <stdio.h>
#include <string.h>

/* An argument taken apart. */
typedef struct argument {
    const option_row *row;
    char typed[40];    /* the option as messages name it */
    const char *value; /* attached value, or NULL */
} argument;

static const option_row *row_named(const char *name, size_t length) {
    for (size_t i = 0; i < option_table_length; i++)
        if (strlen(option_table[i].name) == length && strncmp(option_table[i].name, name, length) == 0)
            return &option_table[i];
    return NULL;
}

static const option_row *row_lettered(char letter) {
    for (size_t i = 0; i < option_table_length; i++)
        if (letter != '\0' && option_table[i].short_name == letter)
            return &option_table[i];
    return NULL;
}

static exit_status fail_unknown(const char *text, const char *name, size_t name_length) {
    const char *nearest = option_nearest(name, name_length);
    int shown = (int)(name + name_length - text);
    if (nearest != NULL)
        return fail_usage("unknown option '%.*s'; did you mean '--%s'?", shown, text, nearest);
    return fail_usage("unknown option '%.*s'", shown, text);
}

/* --name, --name=value. */
static exit_status split_long(const char *text, argument *part) {
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    part->row = row_named(name, length);
    if (part->row == NULL)
        return fail_unknown(text, name, length);
    snprintf(part->typed, sizeof part->typed, "--%s", part->row->name);
    part->value = name[length] == '=' ? name + length + 1 : NULL;
    if (part->value != NULL && part->row->value_name == NULL)
        return fail_usage("%s takes no value, but got '%s'", part->typed, part->value);
    return EXIT_DONE;
}

/* -n 100, -n100, -n=100; flags are not bundled, and "-nim" is taken for a slip and not for -n im. */
static exit_status split_short(const char *text, argument *part) {
    const char *rest = text + 2;
    part->row = row_lettered(text[1]);
    if (part->row == NULL || row_named(text + 1, strlen(text + 1)) != NULL ||
        (part->row->value_name == NULL && *rest != '\0'))
        return fail_unknown(text, text + 1, strlen(text + 1));
    snprintf(part->typed, sizeof part->typed, "-%c", text[1]);
    part->value = *rest == '\0' ? NULL : rest + (*rest == '=');
    return EXIT_DONE;
}

static exit_status split(const char *text, argument *part) {
    if (strncmp(text, "--", 2) == 0 && text[2] != '\0')
        return split_long(text, part);
    if (text[0] == '-' && text[1] != '\0' && text[1] != '-')
        return split_short(text, part);
    if (strcmp(text, "--") == 0)
        return fail_usage("unexpected argument '--': there is nothing but options");
    return fail_usage("unexpected argument '%s': sets are given with --set SPEC, the range with -n N", text);
}

static exit_status read_arguments(sg_context *context, int argc, char **argv, cli_options *options) {
    exit_status status = EXIT_DONE;
    for (int i = 1; i < argc && status == EXIT_DONE; i++) {
        argument part;
        status = split(argv[i], &part);
        if (status != EXIT_DONE)
            break;
        const char *value = part.value;
        if (part.row->value_name != NULL && value == NULL) {
            /* The next argument is the value unless it is an option itself. */
            if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0)
                return fail_usage("%s needs a value: %s %s", part.typed, part.typed, part.row->value_name);
            value = argv[++i];
        }
        status = option_read(context, part.row, part.typed, value, options);
        options->given |= (uint64_t)1 << (part.row - option_table);
    }
    return status;
}

static exit_status set_defaults(sg_context *context, cli_options *options) {
    exit_status status = EXIT_DONE;
    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < option_table_length && status == EXIT_DONE; i++) {
        const option_row *row = &option_table[i];
        if (row->initial == NULL)
            continue;
        status = option_read(context, row, row->name, row->initial, options);
        if (row->kind == OPTION_NUMBER || row->kind == OPTION_SIZE)
            ((cli_number *)((char *)options + row->field))->given = false;
    }
    options->engines = options->backends = 0; /* nothing was listed */
    return status;
}

static bool has_meaning(const option_row *row, int mode) {
    unsigned modes = row->kind == OPTION_MODE ? IN_ALL : row->modes != 0 ? row->modes : IN_SOLVES;
    return modes >> mode & 1;
}

/* What a mode has no use for. */
static exit_status check_meaning(const cli_options *options) {
    for (size_t i = 0; i < option_table_length; i++) {
        const option_row *row = &option_table[i];
        if ((options->given >> i & 1) == 0 || has_meaning(row, options->mode))
            continue;
        if (options->mode == MODE_CROSSOVER)
            return fail_usage("--%s has no meaning with --crossover", row->name);
        if (options->mode_option != NULL && !(IN_SOLVES >> options->mode & 1))
            return fail_usage("--%s has no meaning with --%s", row->name, options->mode_option);
        return fail_usage("--%s has no meaning without %s", row->name,
                          has_meaning(row, MODE_CALIBRATE) ? "--calibrate or --crossover" : "--crossover");
    }
    return EXIT_DONE;
}

/* --crossover says what to do with --cold or --nim, wherever it stands. */
static exit_status settle_mode(cli_options *options) {
    if (!options->crossover)
        return EXIT_DONE;
    if (options->mode != MODE_COLD && options->mode != MODE_NIM)
        return fail_usage("--crossover and --%s exclude each other: it compares ways to find --cold or --nim",
                          options->mode_option);
    options->compared = (sg_mode)options->mode;
    options->mode = MODE_CROSSOVER;
    return EXIT_DONE;
}

/* Several names, which only a comparison can take. */
static exit_status check_lists(const cli_options *options) {
    bool several_engines = (options->engines & (options->engines - 1)) != 0;
    bool several_backends = (options->backends & (options->backends - 1)) != 0;
    if (options->mode != MODE_CROSSOVER && (several_engines || several_backends))
        return fail_usage("--%s takes one name here; several are for --crossover",
                          several_engines ? "engine" : "backend");
    return EXIT_DONE;
}

static exit_status check_crossover(const cli_options *options) {
    const char *format = output_format_name(options->format);
    bool as_data = output_format_at(options->format)->write != NULL;
    const char *suffix = options->plot != NULL ? strrchr(options->plot, '.') : NULL;
    if (as_data && strcmp(format, "csv") != 0)
        return fail_usage("--format %s has no meaning with --crossover: it goes with summary and csv", format);
    if (options->plot != NULL && (suffix == NULL || (strcmp(suffix, ".svg") != 0 && strcmp(suffix, ".png") != 0)))
        return fail_usage("--plot '%s': the name ends neither in .svg nor in .png", options->plot);
    if (options->json && as_data && output_is_stdout(options))
        return fail_usage("--json and --format %s would both go to standard output: add --output FILE for the data",
                          format);
    return EXIT_DONE;
}

static exit_status check_engine(const cli_options *options) {
    if (options->device.given && options->backend == SG_BACKEND_CPU)
        return fail_usage("--device and --backend cpu exclude each other: --device is the index of a CUDA device");
    if (options->level_batch.value != 0 && options->mode != MODE_NIM)
        return fail_usage("--level-batch has no meaning without --nim: only nim-values have levels");
    if (options->near != SG_NEAR_AUTO && (options->mode != MODE_NIM || options->backend == SG_BACKEND_CPU ||
                                          (options->engine != SG_ENGINE_AUTO && options->engine != SG_ENGINE_TILE)))
        return fail_usage(
            "--near has no meaning without --nim by tiles on a device: it says who decides base cases there");
    return EXIT_DONE;
}

static exit_status check_game(const cli_options *options) {
    if (options->mode == MODE_NIM && options->hotspots != NULL)
        return fail_usage("--nim and --hotspots exclude each other: a heap that is hot by decree has no nim-value");
    if (options->mode == MODE_NIM && options->misere)
        return fail_usage("--nim and --misere exclude each other: nim-values do not depend on who wins at the end");
    if (options->misere && options->hotspots != NULL)
        return fail_usage(
            "--misere and --hotspots exclude each other: a heap without moves would be hot for two reasons");
    if (!options->limit.given)
        return fail_usage("how many heap sizes? Give -n N, for example -n 2^20 for the heap sizes 0 .. 2^20-1");
    return EXIT_DONE;
}

static exit_status check_output(const cli_options *options) {
    const output_format *format = output_format_at(options->format);
    if (format->values_only && options->mode == MODE_COLD)
        return fail_usage("--format %s lists values: it needs --nim or --remoteness", format->name);
    if (options->from.given && !format->takes_from)
        return fail_usage("--from has no meaning with --format %s; it goes with list, bfile, csv, npy and outcomes",
                          format->name);
    if (options->offset.given && !format->takes_offset)
        return fail_usage("--offset has no meaning with --format %s; it goes with bfile", format->name);
    if (options->offset.value > UINT64_MAX - options->limit.value)
        return fail_usage("--offset %llu: the indices would go past 2^64 - 1",
                          (unsigned long long)options->offset.value);
    if (options->json && format->write != NULL && output_is_stdout(options))
        return fail_usage("--json and --format %s would both go to standard output: add --output FILE for the data",
                          format->name);
    return EXIT_DONE;
}

exit_status options_parse(sg_context *context, int argc, char **argv, cli_options *options) {
    exit_status status = set_defaults(context, options);
    if (status == EXIT_DONE)
        status = read_arguments(context, argc, argv, options);
    if (status != EXIT_DONE || options->help || options->version)
        return status;
    status = settle_mode(options);
    if (status == EXIT_DONE)
        status = check_meaning(options);
    if (status == EXIT_DONE)
        status = check_lists(options);
    if (status == EXIT_DONE && options->mode == MODE_CROSSOVER)
        status = check_crossover(options);
    if (status != EXIT_DONE || !(IN_SOLVES >> options->mode & 1))
        return status;
    status = check_game(options);
    if (status == EXIT_DONE)
        status = check_engine(options);
    return status == EXIT_DONE ? check_output(options) : status;
}
