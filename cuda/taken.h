/* Memory that a field takes through CUDA, counted. */
#ifndef SG_CUDA_TAKEN_H
#define SG_CUDA_TAKEN_H

#include "check.h"
#include "memory.h"

typedef struct sg_cuda_taken {
    sg_context *context;
    sg_memory *memory; /* of the solve: pinned memory counts there too */
    uint64_t device_bytes;
    uint64_t pinned_bytes;
} sg_cuda_taken;

sg_status sg_cuda_take(sg_cuda_taken *taken, void **place, uint64_t bytes);
sg_status sg_cuda_take_pinned(sg_cuda_taken *taken, void **place, uint64_t bytes);

/* Free those of `count` pieces that are there, whatever fails on the way, and return the first failure. All pinned
 * pieces at once: that takes them out of the solve's account too. */
sg_status sg_cuda_free_device(sg_context *context, void *const *pieces, size_t count);
sg_status sg_cuda_free_pinned(sg_cuda_taken *taken, void *const *pieces, size_t count);

#endif
