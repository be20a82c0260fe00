/* A field on a device: planes, the classes of S, lists, two streams, and what the host needs to talk to them. */
#ifndef SG_CUDA_FIELD_H
#define SG_CUDA_FIELD_H

#include "backend.h"
#include "check.h"
#include "kernels.h"
#include "tuning.h"

typedef struct sg_convolver sg_convolver;

/* What device properties say about the most that a device can do; 0 where they say nothing. */
typedef struct sg_cuda_limits {
    sg_cuda_shape shape;
    double memory_bytes_per_second;
    double load_bytes_per_second;   /* of all multiprocessors' first-level caches: 128 bytes a clock each */
    double shared_marks_per_second; /* one atomic a bank and clock */
} sg_cuda_limits;

/* Kinds of kernels that are timed, in the order of reports. */
typedef enum sg_cuda_kind {
    SG_CUDA_SHIFT_OR,
    SG_CUDA_SCATTER,
    SG_CUDA_COLD_LISTS,
    SG_CUDA_EXPAND,
    SG_CUDA_TRANSFORM,
    SG_CUDA_PRODUCT,
    SG_CUDA_THRESHOLD,
    SG_CUDA_BASE_CASES
} sg_cuda_kind;

_Static_assert(SG_CUDA_BASE_CASES + 1 == SG_KERNEL_KINDS, "every kind has a place in reports");

typedef struct sg_cuda_timer {
    cudaEvent_t begin;
    cudaEvent_t end;
    sg_cuda_kind kind;
} sg_cuda_timer;

/* Times of operator calls, read once the device has passed them: entries head .. tail-1 modulo the ring's size wait. */
typedef struct sg_cuda_clock {
    sg_cuda_timer ring[SG_CUDA_TIMERS];
    uint64_t head;
    uint64_t tail;
    uint64_t calls[SG_KERNEL_KINDS];
    uint64_t work[SG_KERNEL_KINDS];
    double seconds[SG_KERNEL_KINDS];
} sg_cuda_clock;

/* Pinned memory from which the device takes what it is sent; a slot is used again once its event has passed. */
typedef struct sg_cuda_upload {
    uint8_t *slots; /* SG_CUDA_UPLOADS of slot_bytes */
    uint64_t slot_bytes;
    cudaEvent_t taken[SG_CUDA_UPLOADS];
    uint64_t next;
} sg_cuda_upload;

struct sg_field {
    const sg_rows *rows;
    const sg_shifts *host_shifts;
    sg_memory *memory;
    sg_context *context;
    sg_monitor *monitor;
    int device;
    int previous_device; /* of the calling thread, given back when the field closes */
    sg_cuda_limits limits;
    sg_cuda_layout layout;
    sg_cuda_class *classes; /* the host's copy */
    sg_cuda_shifts shifts;
    bool has_dense;      /* classes held as bits */
    bool has_listed;     /* classes held as shifts */
    uint64_t leaf_words; /* of 32 bits, a level */

    uint32_t *d_hot;
    uint32_t *d_cold;
    uint32_t *d_preset; /* NULL without preset marks */
    sg_cuda_class *d_classes;
    uint32_t *d_shift_words;
    uint32_t *d_class_bits;
    uint32_t *d_rows; /* of the node in hand */
    uint64_t *d_ends;
    uint32_t *d_leaf_up;   /* cold bits of a base case */
    uint32_t *d_leaf_down; /* hot bits of one */
    uint32_t *d_list_starts;
    uint32_t *d_list_entries;
    uint64_t list_capacity;
    void *d_scratch;
    uint64_t scratch_bytes;
    sg_cuda_work *d_work;
    uint32_t *d_doubt;

    uint32_t *leaf_down; /* pinned: the hot bits, then the doubt flag */
    sg_cuda_work *work;  /* pinned */
    sg_cuda_upload upload;
    cudaStream_t compute;
    cudaStream_t copy;
    cudaEvent_t near_done; /* what a prefetch waits for */
    bool is_prefetched;
    uint64_t prefetched_column;

    sg_cuda_clock clock;
    sg_convolver *convolver; /* NULL unless the field convolves */
    uint64_t device_bytes;
    uint64_t pinned_bytes;
    uint64_t bytes_to_device;
    uint64_t bytes_from_device;
};

/* --- device.c --- */

sg_status sg_cuda_count_devices(sg_context *context, uint32_t *count);
sg_status sg_cuda_describe(sg_context *context, uint32_t index, sg_device_info *info);
sg_status sg_cuda_read_limits(sg_context *context, int device, sg_cuda_limits *limits);

/* --- field.c --- */

sg_need sg_cuda_field_need(const sg_field_shape *shape);
sg_status sg_cuda_open(const sg_field_spec *spec, sg_field **field);
sg_status sg_cuda_close(sg_field *field);

/* Takes device memory, and counts it. */
sg_status sg_cuda_take(sg_field *field, void **place, uint64_t bytes);

/* Sends `bytes` (at most a slot) from host memory to the device, in the order of the compute stream. */
sg_status sg_cuda_send(sg_field *field, void *d_to, const void *from, uint64_t bytes);

/* Sends a node and its sources. The result holds device pointers that are good until the next call. */
sg_status sg_cuda_send_node(sg_field *field, const sg_node *node, const sg_sources *sources, sg_cuda_node *sent);

/* --- clock.c --- */

sg_status sg_cuda_clock_open(sg_field *field);
sg_status sg_cuda_clock_close(sg_field *field);

/* Between these two, work of one kind goes to the compute stream. `work`: units that the host knows of. */
sg_status sg_cuda_clock_begin(sg_field *field, sg_cuda_kind kind);
sg_status sg_cuda_clock_end(sg_field *field, uint64_t work);

/* Reads the times that are there; all of them, waiting, if `wait`. */
sg_status sg_cuda_clock_read(sg_field *field, bool wait);
sg_status sg_cuda_report(sg_field *field, sg_field_report *report);

/* --- convolver.c --- */

uint64_t sg_cuda_convolver_device_bytes(const sg_field_shape *shape);
uint64_t sg_cuda_convolver_host_bytes(const sg_field_shape *shape);
sg_status sg_cuda_convolver_open(sg_field *field);
sg_status sg_cuda_convolver_close(sg_field *field);
sg_status sg_cuda_convolve(sg_field *field, const sg_node *node, const uint64_t *counts);

/* Whether the last convolution in single precision must be done again, now that its doubt flag has arrived; does so. */
sg_status sg_cuda_convolver_settle(sg_field *field, bool is_doubtful, bool *did_again);
void sg_cuda_convolver_report(const sg_field *field, sg_field_report *report);

/* --- self_test.c --- */

sg_status sg_cuda_check(sg_context *context, const sg_device *device);

#endif
