/* What the host does around the kernels on bits. Nothing here waits for the device but fetch_hot, and sending when all
 * upload slots are on their way. */
#include "operators.h"

#include <string.h>

/* --- base cases and presets --- */

sg_status sg_cuda_preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits) {
    uint64_t step = field->upload.slot_bytes * 8;
    sg_status status = SG_OK;
    for (uint64_t done = 0; done < count; done += step) {
        uint64_t now = count - done < step ? count - done : step;
        SG_TRY(sg_cuda_send(field, field->d_leaf_up, bits + done / 64, (now + 63) / 64 * 8));
        SG_TRY(SG_CUDA(field->context, sg_cuda_store_bits(field->layout, field->d_preset, 1, first_pos + done, now,
                                                          (now + 31) / 32, field->d_leaf_up, field->compute)));
    }
cleanup:
    return status;
}

sg_status sg_cuda_begin(sg_field *field) {
    uint64_t lines = field->layout.modulus, words = lines * field->layout.row_words;
    uint64_t bytes = sizeof(uint32_t) * words;
    sg_status status = SG_OK;
    field->is_prefetched = false;
    for (uint64_t level = 0; level < field->layout.levels; level++) {
        uint32_t *hot = field->d_hot + SG_CUDA_GUARD_WORDS + level * words;
        uint32_t *cold = field->d_cold + SG_CUDA_GUARD_WORDS + level * words;
        SG_TRY(SG_CUDA(field->context, cudaMemsetAsync(cold, 0, bytes, field->compute)));
        if (field->d_preset)
            SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(hot, field->d_preset + SG_CUDA_GUARD_WORDS, bytes,
                                                           cudaMemcpyDeviceToDevice, field->compute)));
        else
            SG_TRY(SG_CUDA(field->context, cudaMemsetAsync(hot, 0, bytes, field->compute)));
    }
cleanup:
    return status;
}

sg_status sg_cuda_absorb_levels(sg_field *field) {
    return SG_CUDA(field->context, sg_cuda_absorb(field->layout, field->d_preset, field->d_cold, field->compute));
}

/* Heap sizes of the base case that begins at a column. */
static uint64_t leaf_count(const sg_field *field, uint64_t first_column) {
    const sg_rows *rows = field->rows;
    uint64_t whole = rows->leaf_columns * rows->modulus, left = rows->n - first_column * rows->modulus;
    return left < whole ? left : whole;
}

static uint64_t leaf_bytes(const sg_field *field) {
    return sizeof(uint32_t) * field->layout.levels * field->leaf_words;
}

/* Brings the hot bits of a base case, and the doubt flag behind them, to pinned memory. */
static sg_status gather(sg_field *field, uint64_t first_column, cudaStream_t stream) {
    uint64_t bytes = leaf_bytes(field) + sizeof(uint32_t);
    sg_status status;
    SG_TRY(SG_CUDA(field->context, sg_cuda_gather_bits(field->layout, field->d_hot, first_column * field->rows->modulus,
                                                       leaf_count(field, first_column), field->leaf_words,
                                                       field->d_leaf_down, stream)));
    SG_TRY(SG_CUDA(field->context,
                   cudaMemcpyAsync(field->leaf_down, field->d_leaf_down, bytes, cudaMemcpyDeviceToHost, stream)));
    field->bytes_from_device += bytes;
cleanup:
    return status;
}

sg_status sg_cuda_prefetch(sg_field *field, uint64_t first_column) {
    sg_status status;
    SG_TRY(SG_CUDA(field->context, cudaEventRecord(field->near_done, field->compute)));
    SG_TRY(SG_CUDA(field->context, cudaStreamWaitEvent(field->copy, field->near_done, 0)));
    SG_TRY(gather(field, first_column, field->copy));
    field->is_prefetched = true;
    field->prefetched_column = first_column;
cleanup:
    return status;
}

/* Gathers on the compute stream, where the kernel is timed, and waits. */
static sg_status gather_now(sg_field *field, uint64_t first_column) {
    sg_status status;
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_BASE_CASES, field->compute));
    SG_TRY(gather(field, first_column, field->compute));
    SG_TRY(sg_cuda_clock_end(&field->clock, leaf_bytes(field)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->compute)));
cleanup:
    return status;
}

sg_status sg_cuda_fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits) {
    bool is_there = field->is_prefetched && field->prefetched_column == first_column, did_again;
    sg_status status;
    /* A prefetch for another base case still owns the buffer that this one needs. */
    if (field->is_prefetched)
        SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->copy)));
    field->is_prefetched = false;
    if (!is_there)
        SG_TRY(gather_now(field, first_column));
    SG_TRY(sg_cuda_convolver_settle(field, field->leaf_down[leaf_bytes(field) / sizeof(uint32_t)] != 0, &did_again));
    if (did_again) {
        SG_TRY(gather_now(field, first_column));
        SG_TRY(
            sg_cuda_convolver_settle(field, field->leaf_down[leaf_bytes(field) / sizeof(uint32_t)] != 0, &did_again));
    }
    memcpy(bits, field->leaf_down, leaf_bytes(field));
    SG_TRY(sg_cuda_clock_read(&field->clock, false));
cleanup:
    return status;
}

sg_status sg_cuda_store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits) {
    sg_status status;
    SG_TRY(sg_cuda_send(field, field->d_leaf_up, bits, leaf_bytes(field)));
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_BASE_CASES, field->compute));
    SG_TRY(
        SG_CUDA(field->context, sg_cuda_store_bits(field->layout, field->d_cold, field->layout.levels,
                                                   first_column * field->rows->modulus, leaf_count(field, first_column),
                                                   field->leaf_words, field->d_leaf_up, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, leaf_bytes(field)));
cleanup:
    return status;
}

/* --- the operators --- */

static uint64_t cold_total(const sg_field *field, const sg_sources *sources) {
    uint64_t total = 0;
    for (uint64_t level = 0; level < field->layout.levels; level++)
        for (uint64_t i = sources->first[level]; i < sources->end[level]; i++)
            total += sources->counts[level * field->layout.modulus + sources->rows[i]];
    return total;
}

/* Lists the cold positions of columns first .. end-1 of the node's rows. */
static sg_status list_range(sg_field *field, const sg_cuda_node *node, uint64_t first, uint64_t end,
                            sg_cuda_cold_list *list) {
    sg_status status;
    *list = (sg_cuda_cold_list){.first = first,
                                .columns = end - first,
                                .chunks = ((end - 1) / 32 - first / 32) / 32 + 1,
                                .starts = field->d_list_starts,
                                .entries = field->d_list_entries};
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_COLD_LISTS, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_list_cold(field->layout, field->d_cold, node, list, field->d_scratch,
                                                     field->scratch_bytes, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, 2 * node->row_count * (end - first) / 8)); /* the bits are read twice */
cleanup:
    return status;
}

/* The listed classes by shifted cold rows; with a list, the dense ones by listed cold positions. */
static sg_status shift_or(sg_field *field, const sg_cuda_node *node, const sg_cuda_cold_list *list) {
    sg_status status;
    SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_SHIFT_OR, field->compute));
    SG_TRY(SG_CUDA(field->context, sg_cuda_shift_or(field->layout, field->limits.shape, field->d_hot, field->d_cold,
                                                    field->shifts, node, list, field->d_work, field->compute)));
    SG_TRY(sg_cuda_clock_end(&field->clock, 0));
cleanup:
    return status;
}

static sg_status mark_from_list(sg_field *field, const sg_cuda_node *node, const sg_cuda_cold_list *list,
                                bool listed_classes) {
    sg_status status = SG_OK;
    if (field->has_dense)
        SG_TRY(shift_or(field, node, list));
    if (listed_classes) {
        SG_TRY(sg_cuda_clock_begin(&field->clock, SG_CUDA_SCATTER, field->compute));
        SG_TRY(SG_CUDA(field->context, sg_cuda_scatter(field->layout, field->limits.shape, field->d_hot, field->shifts,
                                                       node, list, field->d_work, field->compute)));
        SG_TRY(sg_cuda_clock_end(&field->clock, 0));
    }
cleanup:
    return status;
}

/* The part of both operators that goes by listed cold positions: the dense classes and, if `listed_classes`, the
 * others. With dense classes short ranges come first, and the latest columns: often they mark the whole target, and
 * tiles of later ranges are left at first sight. */
static sg_status mark_by_lists(sg_field *field, const sg_cuda_node *node, uint64_t total, bool listed_classes) {
    uint64_t most = total <= field->list_capacity ? node->columns : field->list_capacity / node->row_count;
    uint64_t length = field->has_dense ? SG_CUDA_FIRST_RANGE_COLUMNS : node->columns;
    sg_cuda_cold_list list;
    sg_status status = SG_OK;
    for (uint64_t end = node->first + node->columns; end > node->first; length *= SG_CUDA_RANGE_GROWTH) {
        if (length > most)
            length = most;
        uint64_t first = end - node->first > length ? end - length : node->first;
        SG_TRY(list_range(field, node, first, end, &list));
        SG_TRY(mark_from_list(field, node, &list, listed_classes));
        if (!sg_monitor_tick(field->monitor))
            return sg_monitor_stop(field->context);
        end = first;
    }
cleanup:
    return status;
}

sg_status sg_cuda_mark_dense(sg_field *field, const sg_node *node, const sg_sources *sources) {
    sg_cuda_node sent;
    sg_status status;
    SG_TRY(sg_cuda_send_node(field, node, sources, &sent));
    SG_TRY(shift_or(field, &sent, NULL));
    if (field->has_dense)
        SG_TRY(mark_by_lists(field, &sent, cold_total(field, sources), false));
cleanup:
    return status;
}

sg_status sg_cuda_mark_sparse(sg_field *field, const sg_node *node, const sg_sources *sources) {
    sg_cuda_node sent;
    sg_status status;
    SG_TRY(sg_cuda_send_node(field, node, sources, &sent));
    SG_TRY(mark_by_lists(field, &sent, cold_total(field, sources), field->has_listed));
cleanup:
    return status;
}
