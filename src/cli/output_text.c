/* The formats that are lines of text. */
#include "output.h"

#include <stdlib.h>

enum { VALUES_PER_CHUNK = 8192 };

/* What a line of values looks like. */
typedef struct value_line {
    bool heap_first; /* print heap + offset before the value */
    char separator;
    uint64_t offset;
} value_line;

static sg_status write_value_lines(const output_job *job, value_line style) {
    static uint32_t values[VALUES_PER_CHUNK];
    uint64_t n = job->info->n;
    for (uint64_t first = job->from; first < n && output_continue(job, first); first += VALUES_PER_CHUNK) {
        size_t count = n - first < VALUES_PER_CHUNK ? (size_t)(n - first) : VALUES_PER_CHUNK;
        sg_status status = output_values(job, first, count, values);
        if (status != SG_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            if (style.heap_first) {
                sink_number(job->out, first + i + style.offset);
                sink_char(job->out, style.separator);
            }
            sink_number(job->out, values[i]);
            sink_char(job->out, '\n');
        }
    }
    return SG_OK;
}

/* Lines "index separator heap"; the index counts all cold positions, also those before --from, so that a part of the
 * listing is a part of the whole. */
static sg_status write_indexed_cold(const output_job *job, char separator, uint64_t offset) {
    uint64_t index;
    sg_status status = output_cold_below(job, job->from, &index);
    if (status != SG_OK)
        return status;
    index += offset;
    for (uint64_t heap = job->from; output_next_cold(job, heap, &heap); heap++) {
        sink_number(job->out, index++);
        sink_char(job->out, separator);
        sink_number(job->out, heap);
        sink_char(job->out, '\n');
    }
    return SG_OK;
}

sg_status write_list(const output_job *job) {
    if (job->info->mode != SG_MODE_COLD)
        return write_value_lines(job, (value_line){.heap_first = false});
    for (uint64_t heap = job->from; output_next_cold(job, heap, &heap); heap++) {
        sink_number(job->out, heap);
        sink_char(job->out, '\n');
    }
    return SG_OK;
}

/* As in the OEIS: A014586 lists heap and nim-value, A030193 index and cold heap, both from 0. */
sg_status write_bfile(const output_job *job) {
    if (job->info->mode == SG_MODE_COLD)
        return write_indexed_cold(job, ' ', job->offset);
    return write_value_lines(job, (value_line){.heap_first = true, .separator = ' ', .offset = job->offset});
}

sg_status write_csv(const output_job *job) {
    if (job->info->mode == SG_MODE_COLD) {
        sink_text(job->out, "index,heap\n");
        return write_indexed_cold(job, ',', 0);
    }
    sink_text(job->out, job->info->mode == SG_MODE_NIM ? "heap,nim\n" : "heap,remoteness\n");
    return write_value_lines(job, (value_line){.heap_first = true, .separator = ','});
}

/* A297963 is this for nim-values of squares. */
sg_status write_firsts(const output_job *job) {
    if (job->info->n == 0)
        return SG_OK;
    size_t count = (size_t)job->info->max_value + 1;
    uint64_t *heaps = calloc(count, sizeof *heaps);
    if (heaps == NULL)
        return SG_ERROR_OUT_OF_MEMORY;
    sg_status status = sg_result_first_heaps(job->result, heaps, count);
    for (size_t value = 0; status == SG_OK && value < count; value++) {
        if (heaps[value] == UINT64_MAX)
            continue; /* remoteness skips values */
        sink_number(job->out, value);
        sink_char(job->out, ' ');
        sink_number(job->out, heaps[value]);
        sink_char(job->out, '\n');
    }
    free(heaps);
    return status;
}

sg_status write_outcomes(const output_job *job) {
    enum { CHUNK_POS = 32768 };
    static uint8_t bits[CHUNK_POS / 8];
    static char letters[CHUNK_POS];
    uint64_t n = job->info->n;
    if (job->from >= n)
        return SG_OK;
    for (uint64_t left = n - job->from; left > 0 && output_continue(job, n - left);) {
        size_t count = left < CHUNK_POS ? (size_t)left : CHUNK_POS;
        sg_status status = sg_result_cold_bits(job->result, n - left, count, bits);
        if (status != SG_OK)
            return status;
        for (size_t i = 0; i < count; i++)
            letters[i] = (bits[i / 8] >> i % 8 & 1) != 0 ? 'L' : 'W';
        sink_write(job->out, letters, count);
        left -= count;
    }
    sink_char(job->out, '\n');
    return SG_OK;
}
