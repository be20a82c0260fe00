/* A cost profile as a file: what it is and whom it is for on the first three lines, then one cost a line.
 *
 *     subgame cost profile 1
 *     instruction_set avx512
 *     processor AMD EPYC
 *     segment_shift_ns 4.8125
 *     ...
 *
 * Numbers are read and written by hand, since those of the C library depend on the program's locale. */
#include "backend.h"
#include "costs.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "subgame cost profile 1"

enum { LINE_BYTES = 256, DECIMALS = 6, WHOLE_DIGITS = 7 };

/* Whom a profile made here and now is for. */
typedef struct machine {
    const char *instruction_set;
    sg_device_info processor;
} machine;

static sg_status describe_machine(sg_context *context, machine *here) {
    sg_status status;
    *here = (machine){.processor = {.struct_size = sizeof here->processor}};
    SG_TRY(sg_instruction_set_name(context, &here->instruction_set));
    SG_TRY(sg_device_get_info(context, SG_BACKEND_CPU, 0, &here->processor));
cleanup:
    return status;
}

/* --- reading --- */

typedef struct reader {
    sg_context *context;
    const char *path;
    FILE *file;
    unsigned line_number;
    char line[LINE_BYTES];
} reader;

static sg_status fail_at(const reader *in, sg_status status, const char *what) {
    return sg_fail(in->context, status, "cost profile '%s', line %u: %s", sg_quote(sg_text_of(in->path)).string,
                   in->line_number, what);
}

/* The next line without its end; *there is false at the end of the file. */
static sg_status next_line(reader *in, bool *there) {
    in->line_number++;
    *there = fgets(in->line, sizeof in->line, in->file) != NULL;
    if (!*there)
        return ferror(in->file) ? fail_at(in, SG_ERROR_IO, strerror(errno)) : SG_OK;
    size_t length = strlen(in->line);
    if (!length || in->line[length - 1] != '\n')
        return fail_at(in, SG_ERROR_PARSE, "too long, or cut off");
    in->line[length - 1] = '\0';
    return SG_OK;
}

/* A line "NAME VALUE" that must say what is true here. */
static sg_status expect(reader *in, const char *name, const char *value) {
    size_t length = strlen(name);
    bool there;
    char what[3 * LINE_BYTES];
    sg_status status = next_line(in, &there);
    if (status != SG_OK)
        return status;
    if (!there || strncmp(in->line, name, length) != 0 || in->line[length] != ' ') {
        snprintf(what, sizeof what, "'%s' is missing", name);
        return fail_at(in, SG_ERROR_PARSE, what);
    }
    if (strcmp(in->line + length + 1, value) == 0)
        return SG_OK;
    snprintf(what, sizeof what, "made for %s '%s', but this is '%s'", name,
             sg_quote(sg_text_of(in->line + length + 1)).string, value);
    return fail_at(in, SG_ERROR_UNSUPPORTED, what);
}

static sg_status check_head(reader *in) {
    machine here;
    bool there;
    sg_status status;
    SG_TRY(describe_machine(in->context, &here));
    SG_TRY(next_line(in, &there));
    if (!there || strcmp(in->line, FIRST_LINE) != 0)
        SG_TRY(fail_at(in, SG_ERROR_UNSUPPORTED, "the first line is not '" FIRST_LINE "'"));
    SG_TRY(expect(in, "instruction_set", here.instruction_set));
    SG_TRY(expect(in, "processor", here.processor.name));
cleanup:
    return status;
}

/* DIGITS[.DIGITS], within the range of costs. */
static bool read_cost(const char *text, double *value) {
    uint64_t digits = 0, scale = 1;
    size_t whole = strspn(text, "0123456789"),
           decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    if (!whole || whole > WHOLE_DIGITS || decimals > DECIMALS || (text[whole] == '.' && !decimals))
        return false;
    for (const char *c = text; *c; c++)
        if (sg_is_digit(*c)) {
            digits = 10 * digits + (uint64_t)(*c - '0');
            scale *= c > text + whole ? 10 : 1;
        } else if (c != text + whole || *c != '.') {
            return false;
        }
    *value = (double)digits / (double)scale;
    return *value >= SG_COST_LEAST_NS && *value <= SG_COST_MOST_NS;
}

static sg_status read_line(reader *in, double *values) {
    char what[3 * LINE_BYTES];
    size_t length = strcspn(in->line, " "), index = 0;
    sg_text name = {in->line, length};
    while (index < SG_COST_COUNT && !sg_text_equals(name, sg_cost_name(index)))
        index++;
    if (index == SG_COST_COUNT)
        snprintf(what, sizeof what, "unknown name '%s'", sg_quote(name).string);
    else if (values[index] != 0)
        snprintf(what, sizeof what, "'%s' stands twice", sg_cost_name(index));
    else if (in->line[length] != ' ' || !read_cost(in->line + length + 1, &values[index]))
        snprintf(what, sizeof what, "'%s' is no number of nanoseconds from %g to %g for %s",
                 sg_quote(sg_text_of(in->line[length] ? in->line + length + 1 : "")).string, SG_COST_LEAST_NS,
                 SG_COST_MOST_NS, sg_cost_name(index));
    else
        return SG_OK;
    return fail_at(in, SG_ERROR_PARSE, what);
}

static sg_status read_costs(reader *in, double *values) {
    char what[LINE_BYTES];
    bool there;
    sg_status status = next_line(in, &there);
    while (status == SG_OK && there) {
        status = read_line(in, values);
        if (status == SG_OK)
            status = next_line(in, &there);
    }
    for (size_t i = 0; i < SG_COST_COUNT && status == SG_OK; i++)
        if (values[i] == 0) {
            snprintf(what, sizeof what, "'%s' is missing", sg_cost_name(i));
            status = fail_at(in, SG_ERROR_PARSE, what);
        }
    return status;
}

sg_status sg_profile_load(sg_context *context, const char *path) {
    sg_costs costs = {0};
    reader in = {.context = context, .path = path};
    sg_status status;
    if (!context || !path)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "a context and a path are needed");
    in.file = fopen(path, "re");
    if (!in.file)
        return sg_fail(context, SG_ERROR_IO, "cost profile '%s': %s", sg_quote(sg_text_of(path)).string,
                       strerror(errno));
    SG_TRY(check_head(&in));
    SG_TRY(read_costs(&in, sg_costs_array(&costs)));
    SG_TRY(sg_costs_put(context, &costs));
cleanup:
    fclose(in.file);
    return status;
}

/* --- writing --- */

static bool write_profile(FILE *file, const machine *here, const sg_costs *costs) {
    fprintf(file, FIRST_LINE "\ninstruction_set %s\nprocessor %s\n", here->instruction_set, here->processor.name);
    for (size_t i = 0; i < SG_COST_COUNT; i++) {
        uint64_t millionths = (uint64_t)llround(1e6 * sg_costs_values(costs)[i]);
        fprintf(file, "%s %" PRIu64 ".%06" PRIu64 "\n", sg_cost_name(i), millionths / 1000000, millionths % 1000000);
    }
    return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

/* What is not a file is no place for one: a device would be replaced. */
static bool may_replace(const char *path) {
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* A file of its own beside the final one, which takes its place once it is whole. */
static bool write_and_rename(const char *path, const char *temporary, const machine *here, const sg_costs *costs) {
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    bool written = write_profile(file, here, costs);
    int error = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && rename(temporary, path) == 0)
        return true;
    if (written)
        error = errno;
    unlink(temporary);
    errno = error;
    return false;
}

sg_status sg_profile_save(sg_context *context, const char *path) {
    const sg_costs *costs;
    machine here;
    char *temporary = NULL;
    sg_status status;
    if (!context || !path || !*path)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "a context and a path are needed");
    SG_TRY(sg_costs_in_force(context, &costs));
    SG_TRY(describe_machine(context, &here));
    if (!may_replace(path))
        SG_TRY(sg_fail(context, SG_ERROR_IO, "cost profile '%s': not a file", sg_quote(sg_text_of(path)).string));
    size_t size = strlen(path) + 32;
    temporary = malloc(size);
    if (!temporary)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "out of memory");
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
    if (!write_and_rename(path, temporary, &here, costs))
        SG_TRY(
            sg_fail(context, SG_ERROR_IO, "cost profile '%s': %s", sg_quote(sg_text_of(path)).string, strerror(errno)));
cleanup:
    free(temporary);
    return status;
}
