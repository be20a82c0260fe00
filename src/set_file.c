/* Set files: numbers separated by blanks, commas or newlines, '#' up to the end of the line is a comment. The file is
 * read as a stream, one token at a time, so memory holds the numbers only. */
#define _POSIX_C_SOURCE 200809L

#include "set_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* More than any sensible set: 4 GiB of text hold some 400 million numbers. */
#define FILE_BYTES_MAX ((uint64_t)1 << 32)

enum { CHUNK_BYTES = 1 << 16, TOKEN_BYTES = 256 };

typedef struct file_reader {
    sg_context *context;
    const char *path;
    const char *what;
    sg_zero zero;
    sg_number_list *list;
    uint64_t line;
    char token[TOKEN_BYTES];
    size_t token_length;
    bool in_comment;
} file_reader;

static sg_status refuse_token(const file_reader *f, sg_text token, const char *reason) {
    return sg_fail(f->context, SG_ERROR_PARSE, "%s:%llu: %s '%s' %s", f->path, (unsigned long long)f->line, f->what,
                   sg_quote(token).string, reason);
}

static sg_status end_token(file_reader *f) {
    sg_text token = {f->token, f->token_length};
    uint64_t number;
    if (!token.length)
        return SG_OK;
    f->token_length = 0;
    if (sg_number_parse(NULL, f->what, token.at, token.length, &number) != SG_OK) {
        char where[4200];
        snprintf(where, sizeof where, "%s:%llu: %s", f->path, (unsigned long long)f->line, f->what);
        return sg_number_parse(f->context, where, token.at, token.length, &number);
    }
    if (number == 0 && f->zero == SG_ZERO_REFUSED)
        return refuse_token(f, token, "is 0; members are positive integers");
    return sg_number_list_push(f->context, f->list, number);
}

static sg_status read_character(file_reader *f, char c) {
    bool separator = sg_is_blank(c) || c == ',' || c == '#';
    if (f->in_comment ? c == '\n' : separator) {
        sg_status status = end_token(f);
        if (status != SG_OK)
            return status;
        f->in_comment = c == '#';
        f->line += c == '\n';
        return SG_OK;
    }
    if (f->in_comment)
        return SG_OK;
    if (f->token_length == TOKEN_BYTES)
        return refuse_token(f, (sg_text){f->token, f->token_length}, "is too long for a number");
    f->token[f->token_length++] = c;
    return SG_OK;
}

static sg_status refuse_file(sg_context *context, const char *path, int reason) {
    return sg_fail(context, SG_ERROR_IO, "cannot read set file '%s': %s", path, strerror(reason));
}

static sg_status refuse_size(sg_context *context, const char *path) {
    return sg_fail(context, SG_ERROR_IO, "cannot read set file '%s': it is larger than 4 GiB", path);
}

static sg_status read_stream(file_reader *f, FILE *stream) {
    char chunk[CHUNK_BYTES];
    uint64_t total_bytes = 0;
    size_t bytes;
    struct stat about;
    if (fstat(fileno(stream), &about) == 0 && about.st_size > 0 && (uint64_t)about.st_size > FILE_BYTES_MAX)
        return refuse_size(f->context, f->path);
    while ((bytes = fread(chunk, 1, sizeof chunk, stream)) > 0) {
        total_bytes += bytes;
        if (total_bytes > FILE_BYTES_MAX)
            return refuse_size(f->context, f->path);
        for (size_t i = 0; i < bytes; i++) {
            sg_status status = read_character(f, chunk[i]);
            if (status != SG_OK)
                return status;
        }
    }
    if (ferror(stream))
        return refuse_file(f->context, f->path, errno);
    return end_token(f);
}

sg_status sg_set_read_file(sg_context *context, const char *path, const char *what, sg_zero zero, sg_set *set) {
    file_reader f = {.context = context, .path = path, .what = what, .zero = zero, .list = &set->list, .line = 1};
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return refuse_file(context, path, errno);
    sg_status status = read_stream(&f, stream);
    fclose(stream);
    if (status == SG_OK && set->list.count == 0)
        return sg_fail(context, SG_ERROR_PARSE, "set file '%s' has no members", path);
    sg_number_list_finish(&set->list);
    return status;
}
