/* Nim-values by blocks on a device. Two streams: one for far options, which fill the device, and one of higher priority
 * for the block in hand, whose base cases are one small kernel after another. All memory is taken when the field opens,
 * in the amounts that `need` foretells, but for a wider table of values. */
#include "nim_field.h"
#include "extremes.h"

#include <stdlib.h>
#include <string.h>

/* Members that are sent at a time. */
enum { MEMBER_BATCH = 2048 };

typedef struct nim_slot {
    sg_window *d_windows; /* of heap sizes from `first` on */
    uint64_t first;
    cudaEvent_t gathered; /* the far options are in */
    bool is_gathering;    /* and the near stream does not wait for that yet */
} nim_slot;

struct sg_nim_field {
    sg_context *context;
    const sg_members *members;
    int device;
    int previous_device;
    uint64_t n;
    sg_cuda_limits limits;
    sg_nim_table table;
    uint64_t *d_members;
    int32_t *d_steps;
    bool steps_fit;        /* in 32 bits */
    uint64_t block_most;   /* heap sizes of the longest block that there is room for */
    uint64_t largest;      /* value that progress reported */
    uint64_t host_largest; /* of values that the host stored */
    nim_slot slots[SG_NIM_SLOTS];
    sg_nim_state *d_state;

    sg_nim_state *state;  /* pinned */
    sg_window *leaf_down; /* pinned, as the next: windows for the host, and the values that it decided */
    uint32_t *leaf_up;

    cudaStream_t far;
    cudaStream_t near;
    /* One each: an entry of one stream must not keep those of the other waiting. */
    sg_cuda_clock far_clock;
    sg_cuda_clock near_clock;
    sg_cuda_taken taken;
    uint64_t leaf_pos;
    uint64_t bytes_to_device;
    uint64_t bytes_from_device;
};

/* --- sizes --- */

/* Heap sizes for whose windows there is room: one for each lane that the device can have, or all. */
static uint64_t block_most(uint64_t processors, uint64_t n) {
    return sg_smaller(sg_larger(processors * SG_CUDA_NIM_LANES_MOST, SG_CUDA_NIM_TILE_POS), sg_larger(n, 1));
}

/* Members and steps. */
static uint64_t members_bytes(uint64_t count) {
    return sg_multiply_saturating(sizeof(uint64_t) + sizeof(int32_t), sg_larger(count, 1));
}

static uint64_t pinned_bytes(uint64_t leaf_pos) {
    return sizeof(sg_nim_state) + leaf_pos * (sizeof(sg_window) + sizeof(uint32_t));
}

static sg_need need(const sg_device *device, const sg_nim_shape *shape) {
    uint64_t bytes = sg_multiply_saturating(sg_larger(shape->n, 1), shape->value_bytes);
    bytes = sg_add_saturating(bytes, members_bytes(shape->member_count));
    bytes = sg_add_saturating(bytes, SG_NIM_SLOTS * sizeof(sg_window) * block_most(device->info.processors, shape->n));
    bytes = sg_add_saturating(bytes, sizeof(sg_nim_state));
    return (sg_need){.host_bytes = pinned_bytes(shape->leaf_pos),
                     .device_bytes = sg_add_saturating(bytes, SG_CUDA_RESERVE_BYTES)};
}

/* Shared memory of a block of threads for all values so far, or as much of it as there is. */
static uint64_t set_bytes(const sg_nim_field *field) {
    uint64_t most = sg_multiply_saturating(SG_CUDA_NIM_SET_MOST_WORDS, sizeof(uint32_t) * SG_CUDA_NIM_TILE_POS);
    uint64_t shared = field->limits.shape.shared_bytes / (sizeof(uint32_t) * SG_CUDA_NIM_TILE_POS);
    most = sg_smaller(most, shared * sizeof(uint32_t) * SG_CUDA_NIM_TILE_POS);
    return sg_smaller(sg_nim_far_shared_bytes(field->largest + 1), most);
}

static bool values_fit(const sg_nim_field *field) {
    return set_bytes(field) >= sg_nim_far_shared_bytes(field->largest + 1);
}

/* A wave: as many tiles as run at once, with room for a base case left on each multiprocessor. */
static uint64_t block_pos(const sg_nim_field *field) {
    const sg_cuda_shape *shape = &field->limits.shape;
    uint64_t room = shape->multiprocessor_shared_bytes - SG_CUDA_NIM_NEAR_SHARED_BYTES;
    uint64_t by_shared = room / (set_bytes(field) + shape->reserved_shared_bytes);
    uint64_t by_threads = (shape->multiprocessor_threads - SG_CUDA_NIM_STRIP_POS) / SG_CUDA_NIM_TILE_POS;
    uint64_t tiles = sg_smaller(sg_smaller(by_shared, by_threads), SG_CUDA_NIM_BLOCKS_LEAST);
    return sg_smaller(sg_larger(tiles, 1) * shape->multiprocessors * SG_CUDA_NIM_TILE_POS, field->block_most);
}

/* --- opening and closing --- */

#define TAKE(place, bytes)        SG_TRY(sg_cuda_take(&field->taken, (void **)&(place), (bytes)))
#define TAKE_PINNED(place, bytes) SG_TRY(sg_cuda_take_pinned(&field->taken, (void **)&(place), (bytes)))

static sg_status open_streams(sg_nim_field *field) {
    int least, greatest;
    sg_status status;
    SG_TRY(SG_CUDA(field->context, cudaDeviceGetStreamPriorityRange(&least, &greatest)));
    SG_TRY(SG_CUDA(field->context, cudaStreamCreateWithPriority(&field->far, cudaStreamNonBlocking, least)));
    SG_TRY(SG_CUDA(field->context, cudaStreamCreateWithPriority(&field->near, cudaStreamNonBlocking, greatest)));
    for (unsigned slot = 0; slot < SG_NIM_SLOTS; slot++)
        SG_TRY(SG_CUDA(field->context, cudaEventCreateWithFlags(&field->slots[slot].gathered, cudaEventDisableTiming)));
    SG_TRY(sg_cuda_clock_open(&field->far_clock, field->context));
    SG_TRY(sg_cuda_clock_open(&field->near_clock, field->context));
cleanup:
    return status;
}

static sg_status forget_stuck(sg_nim_field *field) {
    return SG_CUDA(field->context,
                   cudaMemsetAsync(&field->d_state->stuck, 0xff, sizeof field->d_state->stuck, field->near));
}

static sg_status open_memory(sg_nim_field *field, const sg_nim_shape *shape) {
    sg_status status;
    TAKE(field->table.values, sg_larger(shape->n, 1) * shape->value_bytes);
    TAKE(field->d_members, sizeof(uint64_t) * sg_larger(shape->member_count, 1));
    TAKE(field->d_steps, sizeof(int32_t) * sg_larger(shape->member_count, 1));
    for (unsigned slot = 0; slot < SG_NIM_SLOTS; slot++)
        TAKE(field->slots[slot].d_windows, sizeof(sg_window) * field->block_most);
    TAKE(field->d_state, sizeof *field->d_state);
    TAKE_PINNED(field->state, sizeof *field->state);
    TAKE_PINNED(field->leaf_down, sizeof(sg_window) * field->leaf_pos);
    TAKE_PINNED(field->leaf_up, sizeof(uint32_t) * field->leaf_pos);
    SG_TRY(SG_CUDA(field->context, cudaMemsetAsync(field->d_state, 0, sizeof *field->d_state, field->near)));
    SG_TRY(forget_stuck(field));
cleanup:
    return status;
}

/* A batch of members, and their steps, to places from `sent` on; *last is the member before, or 0. */
static sg_status send_batch(sg_nim_field *field, const uint64_t *members, uint64_t count, uint64_t sent,
                            uint64_t *last) {
    int32_t steps[MEMBER_BATCH];
    sg_status status;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = members[i] - *last;
        if (gap >= SG_NIM_STEP_END)
            field->table.steps = NULL;
        steps[i] = (int32_t)-gap;
        *last = members[i];
    }
    SG_TRY(SG_CUDA(field->context,
                   cudaMemcpy(field->d_members + sent, members, sizeof *members * count, cudaMemcpyHostToDevice)));
    SG_TRY(SG_CUDA(field->context,
                   cudaMemcpy(field->d_steps + sent, steps, sizeof *steps * count, cudaMemcpyHostToDevice)));
    field->bytes_to_device += (sizeof *members + sizeof *steps) * count;
cleanup:
    return status;
}

static sg_status send_members(sg_nim_field *field) {
    uint64_t batch[MEMBER_BATCH], sent = 0, count, last = 0;
    sg_member_walk walk = sg_members_walk(field->members);
    sg_status status = SG_OK;
    field->table.members = field->d_members;
    field->table.steps = field->d_steps;
    do {
        for (count = 0; count < MEMBER_BATCH && sg_member_next(&walk, &batch[count]); count++)
            continue;
        if (count)
            SG_TRY(send_batch(field, batch, count, sent, &last));
        sent += count;
    } while (count == MEMBER_BATCH);
cleanup:
    return status;
}

static sg_status close_field(sg_nim_field *field);

static sg_status open_field(const sg_nim_spec *spec, sg_nim_field **opened) {
    sg_context *context = spec->memory->context;
    const sg_nim_shape *shape = &spec->shape;
    int previous;
    sg_status status = SG_CUDA(context, cudaGetDevice(&previous));
    if (status != SG_OK)
        return status;
    sg_nim_field *field = calloc(1, sizeof *field);
    if (!field)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a field");
    field->context = context;
    field->members = spec->members;
    field->device = (int)spec->device->index;
    field->previous_device = previous;
    field->n = shape->n;
    field->leaf_pos = shape->leaf_pos;
    field->taken = (sg_cuda_taken){.context = context, .memory = spec->memory};
    field->block_most = block_most(spec->device->info.processors, shape->n);
    field->table.member_count = spec->members->count;
    field->table.value_bytes = shape->value_bytes;
    SG_TRY(SG_CUDA(context, cudaSetDevice(field->device)));
    SG_TRY(sg_cuda_read_limits(context, field->device, &field->limits));
    SG_TRY(SG_CUDA(context, sg_nim_far_prepare(field->limits.shape)));
    SG_TRY(SG_CUDA(context, sg_nim_cross_prepare()));
    SG_TRY(SG_CUDA(context, sg_nim_near_prepare()));
    SG_TRY(open_streams(field));
    SG_TRY(open_memory(field, shape));
    SG_TRY(send_members(field));
    /* What the null stream sent must be there for ours, which do not wait for it. */
    SG_TRY(SG_CUDA(context, cudaDeviceSynchronize()));
    *opened = field;
    return SG_OK;
cleanup:
    close_field(field);
    return status;
}

static sg_status close_streams(sg_nim_field *field) {
    sg_status status = SG_OK;
    cudaStream_t streams[] = {field->far, field->near};
    for (unsigned i = 0; i < 2; i++)
        if (streams[i])
            status = sg_first_failure(status, SG_CUDA(field->context, cudaStreamSynchronize(streams[i])));
    status = sg_first_failure(status, sg_cuda_clock_close(&field->far_clock));
    status = sg_first_failure(status, sg_cuda_clock_close(&field->near_clock));
    for (unsigned slot = 0; slot < SG_NIM_SLOTS; slot++)
        if (field->slots[slot].gathered)
            status = sg_first_failure(status, SG_CUDA(field->context, cudaEventDestroy(field->slots[slot].gathered)));
    for (unsigned i = 0; i < 2; i++)
        if (streams[i])
            status = sg_first_failure(status, SG_CUDA(field->context, cudaStreamDestroy(streams[i])));
    return status;
}

static sg_status close_field(sg_nim_field *field) {
    sg_context *context = field->context;
    sg_status status = SG_CUDA(context, cudaSetDevice(field->device));
    status = sg_first_failure(status, close_streams(field));
    void *on_device[] = {field->table.values,       field->d_members,          field->d_steps,
                         field->slots[0].d_windows, field->slots[1].d_windows, field->d_state};
    void *pinned[] = {field->state, field->leaf_down, field->leaf_up};
    status = sg_first_failure(status, sg_cuda_free_device(context, on_device, sizeof on_device / sizeof *on_device));
    status = sg_first_failure(status, sg_cuda_free_pinned(&field->taken, pinned, sizeof pinned / sizeof *pinned));
    status = sg_first_failure(status, SG_CUDA(context, cudaSetDevice(field->previous_device)));
    free(field);
    return status;
}

static sg_status enter(sg_nim_field *field) {
    return SG_CUDA(field->context, cudaSetDevice(field->device));
}

/* --- the operators --- */

/* Options of heap sizes first .. end-1 among from .. to-1, to <= first, by that in the middle: what the clock counts.
 */
static uint64_t options_between(const sg_nim_field *field, uint64_t first, uint64_t end, uint64_t from, uint64_t to) {
    uint64_t middle = first + (end - first) / 2;
    double members =
        sg_members_below(field->members, middle - from + 1) - sg_members_below(field->members, middle - to + 1);
    return (uint64_t)(members * (double)(end - first));
}

static sg_status far(sg_nim_field *field, unsigned slot_index, uint64_t first, uint64_t end, uint64_t known) {
    nim_slot *slot = &field->slots[slot_index];
    uint64_t bytes = set_bytes(field);
    sg_status status;
    SG_TRY(enter(field));
    SG_TRY(sg_cuda_clock_begin(&field->far_clock, SG_CUDA_NIM_FAR, field->far));
    SG_TRY(SG_CUDA(field->context,
                   sg_nim_far(field->table, first, end, known, bytes, values_fit(field), slot->d_windows, field->far)));
    SG_TRY(sg_cuda_clock_end(&field->far_clock, options_between(field, first, end, 0, known)));
    SG_TRY(SG_CUDA(field->context, cudaEventRecord(slot->gathered, field->far)));
    slot->first = first;
    slot->is_gathering = true;
cleanup:
    return status;
}

/* Makes what follows on the near stream wait for the far options of the slot. */
static sg_status enter_slot(sg_nim_field *field, nim_slot *slot) {
    sg_status status = enter(field);
    if (status == SG_OK && slot->is_gathering)
        status = SG_CUDA(field->context, cudaStreamWaitEvent(field->near, slot->gathered, 0));
    slot->is_gathering = false;
    return status;
}

static sg_status cross(sg_nim_field *field, unsigned slot_index, const sg_node *node) {
    nim_slot *slot = &field->slots[slot_index];
    sg_nim_table table = field->table;
    if (field->members->list) /* the shorter the list, the sooner every lane finds its part */
        table.member_count = sg_members_walk_from(field->members, node->target_end - node->first).index;
    sg_status status;
    SG_TRY(enter_slot(field, slot));
    SG_TRY(sg_cuda_clock_begin(&field->near_clock, SG_CUDA_NIM_CROSS, field->near));
    SG_TRY(
        SG_CUDA(field->context, sg_nim_cross(table, node, slot->first, slot->d_windows, field->d_state, field->near)));
    SG_TRY(sg_cuda_clock_end(&field->near_clock, options_between(field, node->target_first, node->target_end,
                                                                 node->first, node->first + node->columns)));
cleanup:
    return status;
}

static sg_status near(sg_nim_field *field, unsigned slot_index, uint64_t first, uint64_t end) {
    nim_slot *slot = &field->slots[slot_index];
    sg_status status;
    SG_TRY(enter_slot(field, slot));
    SG_TRY(sg_cuda_clock_begin(&field->near_clock, SG_CUDA_NIM_NEAR, field->near));
    SG_TRY(SG_CUDA(field->context,
                   sg_nim_near(field->table, first, end, slot->first, slot->d_windows, field->d_state, field->near)));
    SG_TRY(sg_cuda_clock_end(&field->near_clock, end - first));
cleanup:
    return status;
}

static sg_status fetch_windows(sg_nim_field *field, unsigned slot_index, uint64_t first, uint64_t end,
                               sg_window *windows) {
    nim_slot *slot = &field->slots[slot_index];
    uint64_t bytes = sizeof *windows * (end - first);
    sg_status status;
    SG_TRY(enter_slot(field, slot));
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(field->leaf_down, slot->d_windows + (first - slot->first), bytes,
                                                   cudaMemcpyDeviceToHost, field->near)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->near)));
    memcpy(windows, field->leaf_down, bytes);
    field->bytes_from_device += bytes;
cleanup:
    return status;
}

/* The buffer is free again: whoever stores has fetched before, and so waited for the store before that. */
static sg_status store_values(sg_nim_field *field, uint64_t first, uint64_t count, const uint32_t *values) {
    uint64_t bytes = count * field->table.value_bytes;
    sg_status status;
    SG_TRY(enter(field));
    for (uint64_t i = 0; i < count; i++) {
        if (field->table.value_bytes == 2)
            ((uint16_t *)field->leaf_up)[i] = (uint16_t)values[i];
        else
            field->leaf_up[i] = values[i];
        field->host_largest = values[i] > field->host_largest ? values[i] : field->host_largest;
    }
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync((uint8_t *)field->table.values + first * field->table.value_bytes,
                                                   field->leaf_up, bytes, cudaMemcpyHostToDevice, field->near)));
    field->bytes_to_device += bytes;
cleanup:
    return status;
}

static sg_status progress(sg_nim_field *field, sg_nim_progress *progress) {
    sg_status status;
    SG_TRY(enter(field));
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(field->state, field->d_state, sizeof *field->state,
                                                   cudaMemcpyDeviceToHost, field->near)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->near)));
    field->bytes_from_device += sizeof *field->state;
    field->largest = sg_larger(field->state->largest, field->host_largest);
    *progress = (sg_nim_progress){field->state->stuck, field->state->is_too_wide != 0, field->largest};
    if (field->state->stuck != UINT64_MAX)
        SG_TRY(forget_stuck(field));
    SG_TRY(sg_cuda_clock_read(&field->far_clock, false));
    SG_TRY(sg_cuda_clock_read(&field->near_clock, false));
cleanup:
    return status;
}

static sg_status widen(sg_nim_field *field) {
    uint32_t *wide = NULL;
    sg_status status;
    if (field->table.value_bytes == 4)
        return sg_fail(field->context, SG_ERROR_OVERFLOW, "a value is past what 32 bits hold");
    SG_TRY(enter(field));
    /* Far options of a block to come may still be read from the narrow table. */
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->far)));
    SG_TRY(sg_cuda_take(&field->taken, (void **)&wide, sizeof *wide * field->n));
    SG_TRY(SG_CUDA(field->context, sg_nim_widen(field->table.values, field->n, wide, field->near)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->near)));
    void *narrow = field->table.values;
    field->table.values = wide;
    field->table.value_bytes = 4;
    wide = NULL;
    SG_TRY(SG_CUDA(field->context, cudaFree(narrow)));
cleanup:
    if (wide)
        cudaFree(wide);
    return status;
}

static sg_status report(sg_nim_field *field, sg_field_report *report) {
    sg_status status;
    *report = (sg_field_report){.device_peak_bytes = field->taken.device_bytes,
                                .bytes_to_device = field->bytes_to_device,
                                .bytes_from_device = field->bytes_from_device};
    SG_TRY(enter(field));
    SG_TRY(sg_cuda_clock_read(&field->far_clock, true));
    SG_TRY(sg_cuda_clock_read(&field->near_clock, true));
    sg_cuda_clock_report(&field->far_clock, &field->limits, report);
    sg_cuda_clock_report(&field->near_clock, &field->limits, report);
cleanup:
    return status;
}

static sg_status finish(sg_nim_field *field, sg_values *values) {
    sg_value_store *store;
    sg_status status;
    SG_TRY(enter(field));
    SG_TRY(SG_CUDA(field->context, cudaDeviceSynchronize()));
    SG_TRY(
        sg_cuda_value_store_make(field->context, field->device, field->limits.shape, field->table, field->n, &store));
    field->table.values = NULL;
    *values = (sg_values){.store = store,
                          .count = field->n,
                          .bytes = field->table.value_bytes,
                          .reserved_bytes = field->table.value_bytes,
                          .largest = field->largest};
cleanup:
    return status;
}

const sg_nim_operators sg_cuda_nim_operators = {
    .leaf_pos = SG_CUDA_NIM_LEAF_POS,
    .minimal_bytes = 2,
    .need = need,
    .open = open_field,
    .close = close_field,
    .block_pos = block_pos,
    .far = far,
    .cross = cross,
    .near = near,
    .fetch_windows = fetch_windows,
    .store_values = store_values,
    .progress = progress,
    .widen = widen,
    .report = report,
    .finish = finish,
};
