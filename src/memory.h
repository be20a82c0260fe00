/* Memory of one solve: every large block is taken here, so that the limit holds and the peak is known. */
#ifndef SG_MEMORY_H
#define SG_MEMORY_H

#include "status.h"

typedef struct sg_memory {
    sg_context *context;
    uint64_t limit_bytes;
    uint64_t held_bytes;
    uint64_t peak_bytes;
    sg_status status; /* of the last refusal */
} sg_memory;

/* limit_bytes 0: what the machine has available now. */
void sg_memory_init(sg_memory *memory, sg_context *context, uint64_t limit_bytes);

/* Takes zeroed memory aligned to 64 bytes; NULL when it would pass the limit or the system has none, and then
 * memory->status and the context's text say so. Called by the solving thread only. */
void *sg_memory_take(sg_memory *memory, uint64_t bytes);

/* Takes a larger block in place of `block`: contents kept, the new part zero. On failure `block` stays valid. */
void *sg_memory_grow(sg_memory *memory, void *block, uint64_t bytes);

/* Counts memory that was taken elsewhere, such as pinned memory, in and out. */
void sg_memory_hold(sg_memory *memory, uint64_t bytes);
void sg_memory_release(sg_memory *memory, uint64_t bytes);

/* Gives a block back; NULL allowed. `memory` may be NULL for a block that outlives its solve (a result). */
void sg_memory_give(sg_memory *memory, void *block);

/* Bytes the machine can give without swapping: available memory, or the control group's limit when lower. */
uint64_t sg_memory_available_bytes(void);

/* a + b and a * b, UINT64_MAX when they pass it: sizes are compared before anything is allocated. */
uint64_t sg_add_saturating(uint64_t a, uint64_t b);
uint64_t sg_multiply_saturating(uint64_t a, uint64_t b);

#define SG_TAKE(memory, pointer, bytes)                                                                                \
    do {                                                                                                               \
        (pointer) = sg_memory_take((memory), (bytes));                                                                 \
        SG_TRY((pointer) ? SG_OK : (memory)->status);                                                                  \
    } while (0)

#endif
