#include "output.h"

#include "interrupt.h"

#include <string.h>

static const output_format formats[] = {
    {.name = "summary", .purpose = "what was computed and found, for people"},
    {.name = "list", .purpose = "cold heap sizes, or values, one a line", .write = write_list, .takes_from = true},
    {.name = "bfile",
     .purpose = "OEIS b-file: index and cold heap, or heap and value",
     .write = write_bfile,
     .takes_from = true,
     .takes_offset = true},
    {.name = "firsts",
     .purpose = "each value and the first heap size that has it",
     .write = write_firsts,
     .values_only = true},
    {.name = "csv", .purpose = "the same columns as bfile, with a header", .write = write_csv, .takes_from = true},
    {.name = "npy",
     .purpose = "NumPy array: cold heaps as u8, values as u2 or u4",
     .write = write_npy,
     .binary = true,
     .takes_from = true},
    {.name = "raw", .purpose = "bits of cold heaps, or values as u16 (or u32)", .write = write_raw, .binary = true},
    {.name = "outcomes",
     .purpose = "W or L per heap: the player to move wins or loses",
     .write = write_outcomes,
     .takes_from = true},
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const char *output_format_name(int index) {
    return index >= 0 && index < FORMAT_COUNT ? formats[index].name : NULL;
}

const output_format *output_format_at(int index) {
    return &formats[index];
}

bool output_is_stdout(const cli_options *options) {
    return options->output == NULL || strcmp(options->output, "-") == 0;
}

bool output_continue(const output_job *job, uint64_t heap) {
    sg_progress report = {.fraction = job->info->n > 0 ? (double)heap / (double)job->info->n : 1.0,
                          .done_pos = heap,
                          .total_pos = job->info->n,
                          .phase = "write"};
    return progress_report(job->line, &report) && sink_ok(job->out);
}

sg_status output_values(const output_job *job, uint64_t first, size_t count, uint32_t *values) {
    if (job->info->mode == SG_MODE_REMOTENESS)
        return sg_result_remoteness(job->result, first, count, values);
    return sg_result_nim(job->result, first, count, values);
}

sg_status output_cold_below(const output_job *job, uint64_t heap, uint64_t *count) {
    enum { CHUNK_POS = 1 << 18 };
    static uint64_t words[CHUNK_POS / 64];
    uint64_t end = heap < job->info->n ? heap : job->info->n;
    *count = 0;
    for (uint64_t first = 0; first < end && !interrupted(); first += CHUNK_POS) {
        size_t part = end - first < CHUNK_POS ? (size_t)(end - first) : CHUNK_POS;
        memset(words, 0, sizeof words);
        sg_status status = sg_result_cold_bits(job->result, first, part, (uint8_t *)words);
        if (status != SG_OK)
            return status;
        for (size_t i = 0; i < (part + 63) / 64; i++)
            for (uint64_t rest = words[i]; rest != 0; rest &= rest - 1)
                ++*count;
    }
    return SG_OK;
}

bool output_next_cold(const output_job *job, uint64_t from, uint64_t *heap) {
    enum { POS_BETWEEN_LOOKS = 4096 };
    if (!sg_result_next_cold(job->result, from, heap))
        return false;
    bool look = *heap / POS_BETWEEN_LOOKS != from / POS_BETWEEN_LOOKS;
    return !look || output_continue(job, *heap);
}
