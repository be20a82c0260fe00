#include "sink.h"

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void initialise(sink *out, int descriptor, const char *path) {
    out->descriptor = descriptor;
    out->path = path;
    out->created = false;
    out->begun = false;
    out->reader_gone = false;
    out->error = 0;
    out->used = 0;
}

void sink_open_stdout(sink *out) {
    initialise(out, STDOUT_FILENO, NULL);
}

exit_status sink_open(sink *out, const char *path) {
    if (strcmp(path, "-") == 0) {
        sink_open_stdout(out);
        return EXIT_DONE;
    }
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    bool created = descriptor >= 0;
    if (!created && errno == EEXIST)
        descriptor = open(path, O_WRONLY);
    if (descriptor < 0)
        return fail("cannot write '%s': %s", path, strerror(errno));
    initialise(out, descriptor, path);
    out->created = created;
    return EXIT_DONE;
}

bool sink_is_terminal(const sink *out) {
    return isatty(out->descriptor) == 1;
}

bool sink_ok(const sink *out) {
    return out->error == 0 && !out->reader_gone;
}

/* Empties a regular file before the first byte goes in; devices and pipes have nothing to empty. */
static void begin(sink *out) {
    out->begun = true;
    struct stat status;
    if (out->path != NULL && fstat(out->descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        ftruncate(out->descriptor, 0) != 0)
        out->error = errno;
}

static void write_through(sink *out, const char *bytes, size_t count) {
    if (!out->begun)
        begin(out);
    while (count > 0 && sink_ok(out)) {
        ssize_t written = write(out->descriptor, bytes, count);
        if (written >= 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno == EPIPE && out->path == NULL) {
            out->reader_gone = true;
        } else if (errno != EINTR || interrupted()) {
            out->error = errno;
        }
    }
}

static void flush(sink *out) {
    size_t count = out->used;
    out->used = 0;
    write_through(out, out->buffer, count);
}

void sink_write(sink *out, const void *bytes, size_t count) {
    if (count > SINK_BUFFER_BYTES - out->used)
        flush(out);
    if (count >= SINK_BUFFER_BYTES) {
        write_through(out, bytes, count);
    } else {
        memcpy(out->buffer + out->used, bytes, count);
        out->used += count;
    }
}

void sink_char(sink *out, char c) {
    if (out->used == SINK_BUFFER_BYTES)
        flush(out);
    out->buffer[out->used++] = c;
}

void sink_text(sink *out, const char *text) {
    sink_write(out, text, strlen(text));
}

/* A listing of 2^34 values is mostly this, so the digits go straight into the buffer. */
void sink_number(sink *out, uint64_t value) {
    enum { DIGITS_MAX = 20 };
    if (SINK_BUFFER_BYTES - out->used < DIGITS_MAX)
        flush(out);
    size_t digits = 1;
    for (uint64_t rest = value; rest >= 10; rest /= 10)
        digits++;
    char *end = out->buffer + out->used + digits;
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    out->used += digits;
}

void sink_format(sink *out, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sink_text(out, text);
}

exit_status sink_close(sink *out) {
    if (sink_ok(out) && (out->used > 0 || out->path != NULL))
        flush(out);
    /* Standard output stays open, but a network file system may tell of a failed write only on closing: close a copy.
     */
    int descriptor = out->path != NULL ? out->descriptor : (out->begun ? dup(out->descriptor) : -1);
    if (descriptor >= 0 && close(descriptor) != 0 && sink_ok(out))
        out->error = errno;
    if (out->error == 0)
        return EXIT_DONE;
    if (out->created)
        unlink(out->path);
    if (out->error == EINTR) {
        fail("interrupted");
        return EXIT_INTERRUPTED;
    }
    return fail("cannot write %s%s%s: %s", out->path != NULL ? "'" : "",
                out->path != NULL ? out->path : "standard output", out->path != NULL ? "'" : "", strerror(out->error));
}

void sink_discard(sink *out) {
    if (out->path == NULL)
        return;
    close(out->descriptor);
    if (out->created)
        unlink(out->path);
}
