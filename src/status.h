/* Errors inside the library: a status code goes up the call chain, its text stays in the context. */
#ifndef SG_STATUS_H
#define SG_STATUS_H

#include "costs.h"
#include "subgame.h"

struct sg_context {
    uint64_t checked_devices; /* bit i: CUDA device i computed right with this context */
    sg_costs costs;           /* of a profile or calibration */
    const char *costs_for;    /* the instruction set that these are for; NULL: none were put here */
    char error[4608];         /* long enough for a message that quotes a whole path; longer texts are cut at the end */
};

/* Stores the text in the context (NULL allowed) and returns `status`, so that `return sg_fail(...)` reads as one step.
 */
sg_status sg_fail(sg_context *context, sg_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Leaves the function through its cleanup label when a step fails. The function has a local `status`. */
#define SG_TRY(step)                                                                                                   \
    do {                                                                                                               \
        status = (step);                                                                                               \
        if (status != SG_OK)                                                                                           \
            goto cleanup;                                                                                              \
    } while (0)

/* Keeps the first failure of several steps that must all be made. */
static inline sg_status sg_first_failure(sg_status first, sg_status next) {
    return first != SG_OK ? first : next;
}

/* Gives the caller a struct that begins with the size it knows: as much of `filled` as fits, the size left as it is.
 * Returns false, and gives nothing, when the size was not set. */
bool sg_struct_give(void *given, const void *filled, size_t filled_size);

#endif
