/* The data formats: one table row each, and what a writer is given. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "options.h"
#include "progress.h"
#include "sink.h"
#include "subgame.h"

/* Everything that a writer reads. Writers stream: they take ranges of the result and keep no copy of it. */
typedef struct output_job {
    const sg_result *result;
    const sg_result_info *info;
    uint64_t from;   /* first heap size to list */
    uint64_t offset; /* index of heap size 0 or of the first cold position in a bfile */
    sink *out;
    progress *line;
} output_job;

/* A library failure ends a writer early; a sink failure does too, and is seen by sink_close. */
typedef sg_status (*output_writer)(const output_job *job);

typedef struct output_format {
    const char *name;
    const char *purpose;
    output_writer write; /* NULL: the summary, which is not data */
    bool binary;         /* not for a terminal */
    bool values_only;    /* has no meaning for outcomes */
    bool takes_from;
    bool takes_offset;
} output_format;

/* Name by index, NULL past the last one; and the row, for an index that has a name. */
const char *output_format_name(int index);
const output_format *output_format_at(int index);

/* Whether the data go to standard output. */
bool output_is_stdout(const cli_options *options);

/* For writers: tells the progress line that heap sizes below `heap` are written, and says whether to go on. */
bool output_continue(const output_job *job, uint64_t heap);

/* For writers: the values of heap sizes first .. first+count-1 in the result's own mode. */
sg_status output_values(const output_job *job, uint64_t first, size_t count, uint32_t *values);

/* For writers: how many cold heap sizes there are below `heap`. */
sg_status output_cold_below(const output_job *job, uint64_t heap, uint64_t *count);

/* Reads cold positions one after the other, from job->from on; false at the end or when there is no use in going on. */
bool output_next_cold(const output_job *job, uint64_t from, uint64_t *heap);

/* output_text.c, output_binary.c */
sg_status write_list(const output_job *job);
sg_status write_bfile(const output_job *job);
sg_status write_firsts(const output_job *job);
sg_status write_csv(const output_job *job);
sg_status write_outcomes(const output_job *job);
sg_status write_npy(const output_job *job);
sg_status write_raw(const output_job *job);

#endif
