/* Opening and closing a field, sending to it, and its report. All device memory is taken here and in convolver.c, in
 * the amounts that sg_cuda_field_need foretells; nothing is taken later. */
#include "field.h"
#include "extremes.h"

#include <stdlib.h>
#include <string.h>

/* Columns that rows are padded to: a wide tile, so that tiles may be written whole. */
enum { TILE_COLUMNS = SG_CUDA_WIDE_WORDS * 1024 };

/* Bytes of the shortest upload slot: presets are sent by slots, and should not take too many. */
enum { SLOT_LEAST_BYTES = 64 << 10 };

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Sizes that follow from a field's shape. */
typedef struct field_sizes {
    sg_cuda_layout layout;
    uint64_t lines;      /* of a plane with all levels */
    uint64_t leaf_bytes; /* of a base case, all levels */
    uint64_t slot_bytes;
    uint64_t list_capacity;
    uint64_t list_starts;
} field_sizes;

static field_sizes sizes_of(const sg_field_shape *shape) {
    const sg_rows *rows = shape->rows;
    field_sizes sizes = {
        .layout = {.n = rows->n,
                   .columns = rows->columns,
                   .row_words = round_up(rows->columns, TILE_COLUMNS) / 32 + SG_CUDA_GUARD_WORDS,
                   .modulus = (uint32_t)rows->modulus,
                   .levels = (uint32_t)shape->levels},
        .lines = rows->modulus * shape->levels,
        .leaf_bytes = 8 * shape->levels * sg_leaf_words(rows),
    };
    uint64_t node_bytes = sizeof(uint32_t) * sizes.lines + 2 * sizeof(uint64_t) * shape->levels;
    sizes.slot_bytes = round_up(sg_larger(sg_larger(sizes.leaf_bytes, node_bytes), SLOT_LEAST_BYTES), 64);
    uint64_t all = sg_multiply_saturating(rows->n, shape->levels);
    sizes.list_capacity = sg_larger(all < SG_CUDA_LIST_MAX ? all : SG_CUDA_LIST_MAX, 32 * sizes.lines);
    sizes.list_starts = sizes.lines * (rows->top_columns / 2 / SG_CUDA_CHUNK_COLUMNS + 2) + 1;
    return sizes;
}

/* A plane of lines, in bytes. */
static uint64_t plane_bytes(const sg_cuda_layout *layout, uint64_t lines) {
    uint64_t words = sg_add_saturating(sg_multiply_saturating(lines, layout->row_words), SG_CUDA_GUARD_WORDS);
    return sg_multiply_saturating(sizeof(uint32_t), words);
}

/* Dense classes that `member_count` members can make at the most. */
static uint64_t dense_most(const sg_rows *rows, uint64_t member_count) {
    uint64_t least = rows->columns / 64; /* members that make a class dense: a few more */
    while (sg_class_is_listed(rows, least))
        least++;
    return member_count / least < rows->modulus ? member_count / least : rows->modulus;
}

static uint64_t pinned_bytes_of(const field_sizes *sizes) {
    return SG_CUDA_UPLOADS * sizes->slot_bytes + sizes->leaf_bytes + sizeof(uint32_t) + sizeof(sg_cuda_work);
}

sg_need sg_cuda_field_need(const sg_field_shape *shape) {
    field_sizes sizes = sizes_of(shape);
    uint64_t planes = sg_multiply_saturating(2, plane_bytes(&sizes.layout, sizes.lines));
    if (shape->with_preset)
        planes = sg_add_saturating(planes, plane_bytes(&sizes.layout, shape->rows->modulus));
    uint64_t members = sg_multiply_saturating(sizeof(uint32_t), shape->member_count);
    uint64_t dense = dense_most(shape->rows, shape->member_count);
    uint64_t classes = shape->rows->modulus * sizeof(sg_cuda_class);
    uint64_t small = sizes.lines * sizeof(uint32_t) + 2 * sizeof(uint64_t) * shape->levels + sizes.slot_bytes +
                     sizes.leaf_bytes + sizeof(uint32_t) + sizeof(sg_cuda_work);
    uint64_t lists =
        sizeof(uint32_t) * (sizes.list_starts + sizes.list_capacity) + SG_CUDA_SCAN_BYTES(sizes.list_starts);
    uint64_t device = sg_add_saturating(planes, sg_add_saturating(members, classes + small + lists));
    if (dense)
        device = sg_add_saturating(device, plane_bytes(&sizes.layout, dense));
    uint64_t host = pinned_bytes_of(&sizes) + classes + sizeof(uint32_t) * (shape->rows->columns / 64 + 2);
    if (shape->convolves) {
        device = sg_add_saturating(device, sg_cuda_convolver_device_bytes(shape));
        host = sg_add_saturating(host, sg_cuda_convolver_host_bytes(shape));
    }
    return (sg_need){host, sg_add_saturating(device, SG_CUDA_RESERVE_BYTES)};
}

#define TAKE(place, bytes)        SG_TRY(sg_cuda_take(&field->taken, (void **)&(place), (bytes)))
#define TAKE_PINNED(place, bytes) SG_TRY(sg_cuda_take_pinned(&field->taken, (void **)&(place), (bytes)))

/* --- the classes of S --- */

/* Sorts a listed class by q % 32, ascending in each group. */
static void group_by_32(const sg_shift_class *from, sg_cuda_class *class, uint32_t *words) {
    uint32_t at[32] = {0}, start = 0;
    for (uint64_t i = 0; i < from->count; i++)
        at[from->columns[i] % 32]++;
    for (uint32_t group = 0; group < 32; group++) {
        uint32_t count = at[group];
        class->group[group] = at[group] = start;
        start += count;
    }
    class->group[32] = start;
    for (uint64_t i = 0; i < from->count; i++)
        words[at[from->columns[i] % 32]++] = from->columns[i] / 32;
}

/* Describes all classes in field->classes, without their groups; returns how many shifts are listed and how many
 * classes are dense, and the longest list. */
static void describe_classes(sg_field *field, uint64_t *listed, uint64_t *dense, uint64_t *longest) {
    *listed = *dense = *longest = 0;
    for (uint64_t t = 0; t < field->rows->modulus; t++) {
        const sg_shift_class *from = &field->host_shifts->classes[t];
        sg_cuda_class *class = &field->classes[t];
        class->count = from->count;
        class->is_dense = from->bits != NULL;
        class->first = class->is_dense ? *dense : *listed;
        *dense += class->is_dense;
        if (class->is_dense)
            continue;
        *listed += class->count;
        if (class->count > *longest)
            *longest = class->count;
    }
}

static sg_status send_class(sg_field *field, uint64_t t, uint32_t *staging) {
    const sg_shift_class *from = &field->host_shifts->classes[t];
    sg_cuda_class *class = &field->classes[t];
    uint64_t bytes;
    void *to;
    const void *source = staging;
    if (class->is_dense) {
        bytes = (field->rows->columns + 7) / 8;
        to = field->d_class_bits + SG_CUDA_GUARD_WORDS + class->first * field->layout.row_words;
        source = from->bits;
    } else {
        group_by_32(from, class, staging);
        bytes = sizeof(uint32_t) * class->count;
        to = field->d_shift_words + class->first;
    }
    field->bytes_to_device += bytes;
    return bytes ? SG_CUDA(field->context, cudaMemcpy(to, source, bytes, cudaMemcpyHostToDevice)) : SG_OK;
}

static sg_status open_classes(sg_field *field) {
    uint64_t listed, dense, longest, modulus = field->rows->modulus;
    uint32_t *staging = NULL;
    sg_status status;
    SG_TAKE(field->memory, field->classes, modulus * sizeof *field->classes);
    describe_classes(field, &listed, &dense, &longest);
    field->has_dense = dense > 0;
    field->has_listed = listed > 0;
    TAKE(field->d_classes, modulus * sizeof *field->classes);
    TAKE(field->d_shift_words, sizeof(uint32_t) * listed);
    if (dense) {
        TAKE(field->d_class_bits, plane_bytes(&field->layout, dense));
        SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_class_bits, 0, plane_bytes(&field->layout, dense))));
    }
    SG_TAKE(field->memory, staging, sizeof *staging * longest);
    for (uint64_t t = 0; t < modulus; t++)
        SG_TRY(send_class(field, t, staging));
    SG_TRY(SG_CUDA(field->context, cudaMemcpy(field->d_classes, field->classes, modulus * sizeof *field->classes,
                                              cudaMemcpyHostToDevice)));
    field->bytes_to_device += modulus * sizeof *field->classes;
    field->shifts = (sg_cuda_shifts){field->d_classes, field->d_shift_words, field->d_class_bits};
cleanup:
    sg_memory_give(field->memory, staging);
    return status;
}

/* --- opening and closing --- */

static sg_status open_planes(sg_field *field, const field_sizes *sizes, bool with_preset) {
    uint64_t bytes = plane_bytes(&sizes->layout, sizes->lines);
    sg_status status;
    TAKE(field->d_hot, bytes);
    TAKE(field->d_cold, bytes);
    SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_hot, 0, bytes)));
    SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_cold, 0, bytes)));
    if (with_preset) {
        bytes = plane_bytes(&sizes->layout, sizes->layout.modulus);
        TAKE(field->d_preset, bytes);
        SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_preset, 0, bytes)));
    }
cleanup:
    return status;
}

static sg_status open_buffers(sg_field *field, const field_sizes *sizes) {
    sg_status status;
    TAKE(field->d_rows, sizeof(uint32_t) * sizes->lines);
    TAKE(field->d_ends, 2 * sizeof(uint64_t) * sizes->layout.levels);
    TAKE(field->d_leaf_up, sizes->slot_bytes);
    TAKE(field->d_leaf_down, sizes->leaf_bytes + sizeof(uint32_t));
    field->d_doubt = field->d_leaf_down + sizes->leaf_bytes / sizeof(uint32_t);
    SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_doubt, 0, sizeof(uint32_t))));
    TAKE(field->d_list_starts, sizeof(uint32_t) * sizes->list_starts);
    TAKE(field->d_list_entries, sizeof(uint32_t) * sizes->list_capacity);
    field->scratch_bytes = SG_CUDA_SCAN_BYTES(sizes->list_starts);
    TAKE(field->d_scratch, field->scratch_bytes);
    TAKE(field->d_work, sizeof *field->d_work);
    SG_TRY(SG_CUDA(field->context, cudaMemset(field->d_work, 0, sizeof *field->d_work)));
    TAKE_PINNED(field->leaf_down, sizes->leaf_bytes + sizeof(uint32_t));
    TAKE_PINNED(field->work, sizeof *field->work);
    TAKE_PINNED(field->upload.slots, SG_CUDA_UPLOADS * sizes->slot_bytes);
    field->upload.slot_bytes = sizes->slot_bytes;
    field->list_capacity = sizes->list_capacity;
cleanup:
    return status;
}

static sg_status open_streams(sg_field *field) {
    sg_context *context = field->context;
    sg_status status;
    SG_TRY(SG_CUDA(context, cudaStreamCreateWithFlags(&field->compute, cudaStreamNonBlocking)));
    SG_TRY(SG_CUDA(context, cudaStreamCreateWithFlags(&field->copy, cudaStreamNonBlocking)));
    SG_TRY(SG_CUDA(context, cudaEventCreateWithFlags(&field->near_done, cudaEventDisableTiming)));
    for (unsigned i = 0; i < SG_CUDA_UPLOADS; i++)
        SG_TRY(SG_CUDA(context, cudaEventCreateWithFlags(&field->upload.taken[i], cudaEventDisableTiming)));
    SG_TRY(sg_cuda_clock_open(&field->clock, field->context));
cleanup:
    return status;
}

sg_status sg_cuda_open(const sg_field_spec *spec, sg_field **opened) {
    const sg_field_shape *shape = &spec->shape;
    sg_context *context = spec->memory->context;
    field_sizes sizes = sizes_of(shape);
    int previous;
    sg_status status = SG_CUDA(context, cudaGetDevice(&previous));
    if (status != SG_OK)
        return status;
    sg_field *field = calloc(1, sizeof *field);
    if (!field)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a field");
    field->rows = shape->rows;
    field->host_shifts = spec->shifts;
    field->memory = spec->memory;
    field->context = context;
    field->taken = (sg_cuda_taken){.context = context, .memory = spec->memory};
    field->monitor = spec->monitor;
    field->device = (int)spec->device->index;
    field->previous_device = previous;
    field->layout = sizes.layout;
    field->leaf_words = 2 * sg_leaf_words(shape->rows);
    SG_TRY(SG_CUDA(context, cudaSetDevice(field->device)));
    SG_TRY(sg_cuda_read_limits(context, field->device, &field->limits));
    SG_TRY(SG_CUDA(context, sg_cuda_scatter_prepare(field->limits.shape)));
    SG_TRY(open_streams(field));
    SG_TRY(open_planes(field, &sizes, shape->with_preset));
    SG_TRY(open_buffers(field, &sizes));
    SG_TRY(open_classes(field));
    if (shape->convolves)
        SG_TRY(sg_cuda_convolver_open(field));
    /* What was set by the null stream must be there for ours, which do not wait for it. */
    SG_TRY(SG_CUDA(context, cudaDeviceSynchronize()));
    *opened = field;
    return SG_OK;
cleanup:
    sg_cuda_close(field);
    return status;
}

static sg_status close_streams(sg_field *field) {
    sg_context *context = field->context;
    sg_status status = SG_OK;
    /* Buffers must not go while the device still works on them. */
    if (field->compute)
        status = sg_first_failure(status, SG_CUDA(context, cudaStreamSynchronize(field->compute)));
    if (field->copy)
        status = sg_first_failure(status, SG_CUDA(context, cudaStreamSynchronize(field->copy)));
    status = sg_first_failure(status, sg_cuda_clock_close(&field->clock));
    for (unsigned i = 0; i < SG_CUDA_UPLOADS; i++)
        if (field->upload.taken[i])
            status = sg_first_failure(status, SG_CUDA(context, cudaEventDestroy(field->upload.taken[i])));
    if (field->near_done)
        status = sg_first_failure(status, SG_CUDA(context, cudaEventDestroy(field->near_done)));
    return status;
}

sg_status sg_cuda_close(sg_field *field) {
    sg_context *context = field->context;
    void *on_device[] = {field->d_hot,         field->d_cold,        field->d_preset,  field->d_classes,
                         field->d_shift_words, field->d_class_bits,  field->d_rows,    field->d_ends,
                         field->d_leaf_up,     field->d_leaf_down,   field->d_scratch, field->d_work,
                         field->d_list_starts, field->d_list_entries};
    void *pinned[] = {field->leaf_down, field->work, field->upload.slots};
    sg_status status = SG_CUDA(context, cudaSetDevice(field->device));
    status = sg_first_failure(status, close_streams(field));
    status = sg_first_failure(status, sg_cuda_convolver_close(field));
    status = sg_first_failure(status, sg_cuda_free_device(context, on_device, sizeof on_device / sizeof *on_device));
    status = sg_first_failure(status, sg_cuda_free_pinned(&field->taken, pinned, sizeof pinned / sizeof *pinned));
    if (field->compute)
        status = sg_first_failure(status, SG_CUDA(context, cudaStreamDestroy(field->compute)));
    if (field->copy)
        status = sg_first_failure(status, SG_CUDA(context, cudaStreamDestroy(field->copy)));
    status = sg_first_failure(status, SG_CUDA(context, cudaSetDevice(field->previous_device)));
    sg_memory_give(field->memory, field->classes);
    free(field);
    return status;
}

/* --- sending --- */

sg_status sg_cuda_send(sg_field *field, void *d_to, const void *from, uint64_t bytes) {
    sg_cuda_upload *upload = &field->upload;
    uint64_t slot = upload->next++ % SG_CUDA_UPLOADS;
    uint8_t *place = upload->slots + slot * upload->slot_bytes;
    sg_status status;
    SG_TRY(SG_CUDA(field->context, cudaEventSynchronize(upload->taken[slot])));
    memcpy(place, from, bytes);
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(d_to, place, bytes, cudaMemcpyHostToDevice, field->compute)));
    SG_TRY(SG_CUDA(field->context, cudaEventRecord(upload->taken[slot], field->compute)));
    field->bytes_to_device += bytes;
cleanup:
    return status;
}

sg_status sg_cuda_send_node(sg_field *field, const sg_node *node, const sg_sources *sources, sg_cuda_node *sent) {
    uint64_t levels = field->layout.levels, all = field->layout.modulus * levels;
    sg_status status;
    *sent = (sg_cuda_node){
        node->first, node->columns, node->target_first, node->target_end, field->d_rows, field->d_ends, 0};
    for (uint64_t level = 0; level < levels; level++)
        sent->row_count += sources->end[level] - sources->first[level];
    SG_TRY(sg_cuda_send(field, field->d_rows, sources->rows, sizeof(uint32_t) * all));
    SG_TRY(sg_cuda_send(field, field->d_ends, sources->first, sizeof(uint64_t) * levels));
    SG_TRY(sg_cuda_send(field, field->d_ends + levels, sources->end, sizeof(uint64_t) * levels));
cleanup:
    return status;
}

/* --- reporting --- */

sg_status sg_cuda_report(sg_field *field, sg_field_report *report) {
    sg_status status;
    *report = (sg_field_report){
        .device_peak_bytes = field->taken.device_bytes,
        .bytes_to_device = field->bytes_to_device,
        .bytes_from_device = field->bytes_from_device,
    };
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(field->work, field->d_work, sizeof *field->work,
                                                   cudaMemcpyDeviceToHost, field->compute)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->compute)));
    SG_TRY(sg_cuda_clock_read(&field->clock, true));
    sg_cuda_convolver_report(field, report);
    field->clock.work[SG_CUDA_SHIFT_OR] = sizeof(uint32_t) * field->work->shifts;
    field->clock.work[SG_CUDA_SCATTER] = field->work->marks;
    sg_cuda_clock_report(&field->clock, &field->limits, report);
cleanup:
    return status;
}
