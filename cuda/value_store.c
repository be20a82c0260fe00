/* Finished values that stay on the device, read by range. Each call takes the little memory it needs beside them and
 * gives it back, so that any number of threads may read; it leaves the calling thread's device as it was. */
#include "nim_field.h"

#include <stdlib.h>
#include <string.h>

typedef struct value_store {
    sg_value_store base;
    int device;
    sg_cuda_shape shape;
    sg_nim_table table;
    uint64_t n;
} value_store;

static const value_store *store_of(const sg_value_store *base) {
    return (const value_store *)base;
}

/* One call in progress. */
typedef struct store_visit {
    sg_context *context; /* may be NULL */
    const value_store *store;
    int previous_device;
    cudaStream_t stream;
    void *taken[2];
} store_visit;

static sg_status begin_visit(store_visit *visit, sg_context *context, const sg_value_store *base) {
    sg_status status;
    memset(visit, 0, sizeof *visit);
    visit->context = context;
    visit->store = store_of(base);
    visit->previous_device = -1;
    SG_TRY(SG_CUDA(visit->context, cudaGetDevice(&visit->previous_device)));
    SG_TRY(SG_CUDA(visit->context, cudaSetDevice(visit->store->device)));
    SG_TRY(SG_CUDA(visit->context, cudaStreamCreateWithFlags(&visit->stream, cudaStreamNonBlocking)));
cleanup:
    return status;
}

/* Takes the i-th piece of memory of this visit. */
static sg_status take(store_visit *visit, unsigned i, uint64_t bytes) {
    return SG_CUDA(visit->context, cudaMalloc(&visit->taken[i], bytes ? bytes : 1));
}

static sg_status end_visit(store_visit *visit, sg_status status) {
    if (visit->stream)
        status = sg_first_failure(status, SG_CUDA(visit->context, cudaStreamSynchronize(visit->stream)));
    status = sg_first_failure(
        status, sg_cuda_free_device(visit->context, visit->taken, sizeof visit->taken / sizeof *visit->taken));
    if (visit->stream)
        status = sg_first_failure(status, SG_CUDA(visit->context, cudaStreamDestroy(visit->stream)));
    if (visit->previous_device >= 0)
        status = sg_first_failure(status, SG_CUDA(visit->context, cudaSetDevice(visit->previous_device)));
    return status;
}

static sg_status send(store_visit *visit, void *d_to, const void *from, uint64_t bytes) {
    return SG_CUDA(visit->context, cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, visit->stream));
}

/* Waits. */
static sg_status receive(store_visit *visit, void *to, const void *d_from, uint64_t bytes) {
    sg_status status =
        SG_CUDA(visit->context, cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, visit->stream));
    return status == SG_OK ? SG_CUDA(visit->context, cudaStreamSynchronize(visit->stream)) : status;
}

static sg_status copy(sg_context *context, const sg_value_store *base, uint64_t first, uint64_t count, void *values) {
    uint64_t width = store_of(base)->table.value_bytes;
    store_visit visit;
    sg_status status;
    if (!count)
        return SG_OK;
    SG_TRY(begin_visit(&visit, context, base));
    SG_TRY(receive(&visit, values, (const uint8_t *)visit.store->table.values + first * width, count * width));
cleanup:
    return end_visit(&visit, status);
}

static sg_status pick(sg_context *context, const sg_value_store *base, const uint64_t *heaps, uint64_t count,
                      uint32_t *values) {
    store_visit visit;
    sg_status status;
    if (!count)
        return SG_OK;
    SG_TRY(begin_visit(&visit, context, base));
    SG_TRY(take(&visit, 0, sizeof *heaps * count));
    SG_TRY(take(&visit, 1, sizeof *values * count));
    SG_TRY(send(&visit, visit.taken[0], heaps, sizeof *heaps * count));
    SG_TRY(SG_CUDA(context, sg_nim_pick(visit.store->table, visit.taken[0], count, visit.taken[1], visit.stream)));
    SG_TRY(receive(&visit, values, visit.taken[1], sizeof *values * count));
cleanup:
    return end_visit(&visit, status);
}

static sg_status tally(sg_context *context, const sg_value_store *base, sg_nim_tally_kind kind, uint64_t *tallies,
                       uint64_t capacity) {
    int nothing = kind == SG_NIM_FIRST ? 0xff : 0;
    store_visit visit;
    sg_status status;
    if (!capacity)
        return SG_OK;
    SG_TRY(begin_visit(&visit, context, base));
    SG_TRY(take(&visit, 0, sizeof *tallies * capacity));
    SG_TRY(SG_CUDA(context, cudaMemsetAsync(visit.taken[0], nothing, sizeof *tallies * capacity, visit.stream)));
    SG_TRY(SG_CUDA(context, sg_nim_tally(visit.store->table, visit.store->shape, visit.store->n, kind, capacity,
                                         visit.taken[0], visit.stream)));
    SG_TRY(receive(&visit, tallies, visit.taken[0], sizeof *tallies * capacity));
cleanup:
    return end_visit(&visit, status);
}

static sg_status histogram(sg_context *context, const sg_value_store *base, uint64_t *counts, uint64_t capacity) {
    return tally(context, base, SG_NIM_COUNT, counts, capacity);
}

static sg_status first_heaps(sg_context *context, const sg_value_store *base, uint64_t *heaps, uint64_t capacity) {
    return tally(context, base, SG_NIM_FIRST, heaps, capacity);
}

static sg_status zero_bits(sg_context *context, const sg_value_store *base, uint64_t *bits) {
    uint64_t n = store_of(base)->n, step = n < SG_CUDA_VALUES_CHUNK ? (n + 63) / 64 * 64 : SG_CUDA_VALUES_CHUNK;
    store_visit visit;
    sg_status status;
    SG_TRY(begin_visit(&visit, context, base));
    SG_TRY(take(&visit, 0, step / 8));
    for (uint64_t first = 0; first < n; first += step) {
        uint64_t count = n - first < step ? n - first : step;
        SG_TRY(SG_CUDA(context, sg_nim_zero_bits(visit.store->table, first, count, visit.taken[0], visit.stream)));
        SG_TRY(receive(&visit, bits + first / 64, visit.taken[0], (count + 31) / 32 * sizeof(uint32_t)));
    }
cleanup:
    return end_visit(&visit, status);
}

/* Nobody is told of a failure: the memory is the driver's then. */
static void close_store(sg_value_store *base) {
    value_store *store = (value_store *)base;
    int previous = store->device;
    cudaGetDevice(&previous);
    cudaSetDevice(store->device);
    cudaFree(store->table.values);
    cudaSetDevice(previous);
    cudaGetLastError();
    free(store);
}

sg_status sg_cuda_value_store_make(sg_context *context, int device, sg_cuda_shape shape, sg_nim_table table, uint64_t n,
                                   sg_value_store **store) {
    static const sg_value_store_operators operators = {.copy = copy,
                                                       .pick = pick,
                                                       .histogram = histogram,
                                                       .first_heaps = first_heaps,
                                                       .zero_bits = zero_bits,
                                                       .close = close_store};
    value_store *made = malloc(sizeof *made);
    if (!made)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a store of values");
    *made = (value_store){.base = {&operators}, .device = device, .shape = shape, .table = table, .n = n};
    *store = &made->base;
    return SG_OK;
}
