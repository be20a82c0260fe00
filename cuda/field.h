/* A field on a device: planes, the classes of S, lists, two streams, and what the host needs to talk to them. */
#ifndef SG_CUDA_FIELD_H
#define SG_CUDA_FIELD_H

#include "backend.h"
#include "clock.h"
#include "kernels.h"
#include "taken.h"
#include "tuning.h"

typedef struct sg_convolver sg_convolver;

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
    sg_cuda_taken taken;
    uint64_t bytes_to_device;
    uint64_t bytes_from_device;
};

/* --- device.c --- */

sg_status sg_cuda_count_devices(sg_context *context, uint32_t *count);
sg_status sg_cuda_describe(sg_context *context, uint32_t index, sg_device_info *info);

/* --- field.c --- */

sg_need sg_cuda_field_need(const sg_field_shape *shape);
sg_status sg_cuda_open(const sg_field_spec *spec, sg_field **field);
sg_status sg_cuda_close(sg_field *field);

/* Sends `bytes` (at most a slot) from host memory to the device, in the order of the compute stream. */
sg_status sg_cuda_send(sg_field *field, void *d_to, const void *from, uint64_t bytes);

/* Sends a node and its sources. The result holds device pointers that are good until the next call. */
sg_status sg_cuda_send_node(sg_field *field, const sg_node *node, const sg_sources *sources, sg_cuda_node *sent);

/* Waits for all work, and says what was done. */
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
