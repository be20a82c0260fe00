/* Where output goes: standard output or a file, through one buffer.
 *
 * Errors are sticky: after the first one, writing does nothing, so that a writer needs to look only now and then
 * whether it is worth going on. The reason is kept until sink_close, which reports it. Not stdio, since a write that a
 * signal interrupts and a reader that went away have to be told apart from a full disk.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SINK_BUFFER_BYTES (64 * 1024)

typedef struct sink {
    int descriptor;
    const char *path; /* NULL: standard output */
    bool created;     /* by us, and so to be removed when the run fails */
    bool begun;       /* something was written through */
    bool reader_gone; /* standard output is a pipe that nobody reads any more */
    int error;        /* errno of the first failure, 0 while there is none */
    size_t used;
    char buffer[SINK_BUFFER_BYTES];
} sink;

void sink_open_stdout(sink *out);

/* Opens a file for writing and reports the reason when that fails. What the file held stays until the first write, so
 * that a run which fails before has destroyed nothing. The path must outlive the sink. "-" is standard output. */
exit_status sink_open(sink *out, const char *path);

bool sink_is_terminal(const sink *out);

/* Whether there is any use in writing more. */
bool sink_ok(const sink *out);

void sink_write(sink *out, const void *bytes, size_t count);
void sink_char(sink *out, char c);
void sink_text(sink *out, const char *text);
void sink_number(sink *out, uint64_t value);

/* At most 255 characters. */
void sink_format(sink *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Writes what is buffered, closes, and reports what went wrong on the way. A reader that went away is not a failure:
 * who pipes into `head` has what they wanted. */
exit_status sink_close(sink *out);

/* Closes without writing what is buffered, and removes the file if it is ours. For runs that failed. */
void sink_discard(sink *out);

#endif
