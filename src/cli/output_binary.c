/* The formats that are bytes: raw, and NumPy's .npy, whose payload is little-endian like raw. */
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, NPY_PREFIX_BYTES = 10, NPY_ALIGNMENT_BYTES = 64, NPY_HEADER_MAX_BYTES = 128 };

static sg_status write_raw_from(const output_job *job, uint64_t offset_bytes) {
    static uint8_t bytes[CHUNK_BYTES];
    uint64_t total = sg_result_raw_bytes(job->result);
    uint32_t value_bytes = sg_result_raw_value_bytes(job->result);
    while (offset_bytes < total) {
        uint64_t heap = value_bytes > 0 ? offset_bytes / value_bytes : offset_bytes * 8;
        if (!output_continue(job, heap))
            break;
        size_t count = total - offset_bytes < CHUNK_BYTES ? (size_t)(total - offset_bytes) : CHUNK_BYTES;
        sg_status status = sg_result_raw(job->result, offset_bytes, count, bytes);
        if (status != SG_OK)
            return status;
        sink_write(job->out, bytes, count);
        offset_bytes += count;
    }
    return SG_OK;
}

sg_status write_raw(const output_job *job) {
    return write_raw_from(job, 0);
}

/* Format version 1.0: magic, two version bytes, u16 length of what follows, a Python dictionary padded with blanks and
 * ended by a newline so that the payload begins at a multiple of 64 bytes. */
static void write_npy_header(sink *out, const char *type, uint64_t count) {
    char header[NPY_HEADER_MAX_BYTES];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    int text = snprintf(header + NPY_PREFIX_BYTES, sizeof header - NPY_PREFIX_BYTES,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }", type, (unsigned long long)count);
    size_t used = NPY_PREFIX_BYTES + (size_t)text;
    header[used] = ' ';
    size_t total = (used + 1 + NPY_ALIGNMENT_BYTES - 1) / NPY_ALIGNMENT_BYTES * NPY_ALIGNMENT_BYTES;
    header[total - 1] = '\n';
    header[8] = (char)((total - NPY_PREFIX_BYTES) & 0xff);
    header[9] = (char)((total - NPY_PREFIX_BYTES) >> 8);
    sink_write(out, header, total);
}

static sg_status write_npy_cold(const output_job *job) {
    uint64_t before;
    sg_status status = output_cold_below(job, job->from, &before);
    if (status != SG_OK)
        return status;
    write_npy_header(job->out, "<u8", job->info->cold_count - before);
    for (uint64_t heap = job->from; output_next_cold(job, heap, &heap); heap++) {
        uint8_t bytes[8];
        for (int i = 0; i < 8; i++)
            bytes[i] = (uint8_t)(heap >> 8 * i);
        sink_write(job->out, bytes, sizeof bytes);
    }
    return SG_OK;
}

sg_status write_npy(const output_job *job) {
    if (job->info->mode == SG_MODE_COLD)
        return write_npy_cold(job);
    uint32_t value_bytes = sg_result_raw_value_bytes(job->result);
    uint64_t from = job->from < job->info->n ? job->from : job->info->n;
    write_npy_header(job->out, value_bytes == 4 ? "<u4" : "<u2", job->info->n - from);
    return write_raw_from(job, from * value_bytes);
}
