/* Sets of non-negative integers given by a specification, a list or a callback, enumerated in increasing order.
 * Both subtraction sets (members >= 1) and hotspot sets (0 allowed) are such sets. */
#ifndef SG_SET_H
#define SG_SET_H

#include "status.h"

typedef struct sg_set sg_set;

typedef enum sg_zero { SG_ZERO_REFUSED, SG_ZERO_ALLOWED } sg_zero;

/* The specifications of sg_game_create. `what` ("subtraction set", "hotspot set") stands in error texts. */
sg_status sg_set_parse(sg_context *context, const char *spec, sg_zero zero, const char *what, sg_set **set);

/* A set from an array in any order, copied. */
sg_status sg_set_from_members(sg_context *context, const uint64_t *members, size_t count, sg_zero zero, sg_set **set);

/* A set from a callback as sg_game_create_from_callback describes it. */
sg_status sg_set_from_callback(sg_context *context, const char *name, sg_member_fn next_member, void *user,
                               sg_set **set);

void sg_set_destroy(sg_set *set);

/* Canonical spelling; belongs to the set. */
const char *sg_set_name(const sg_set *set);

/* Whether `candidate` is a member: at once where the set has a formula, by enumeration for primes and callbacks. */
sg_status sg_set_contains(sg_context *context, const sg_set *set, uint64_t candidate, bool *is_member);

/* Enumerates the members below `limit` in strictly increasing order. Several cursors on one set are independent.
 * Cost: about a nanosecond a candidate for the dense sets; memory O(sqrt(limit)) at most. */
typedef struct sg_set_cursor sg_set_cursor;

sg_status sg_set_cursor_open(sg_context *context, const sg_set *set, uint64_t limit, sg_set_cursor **cursor);

/* Writes the next members, as many as there are and fit (capacity >= 1), and their number to *count; 0 means the end.
 * Fails when a user's callback breaks its contract. */
sg_status sg_set_cursor_next(sg_context *context, sg_set_cursor *cursor, uint64_t *members, size_t capacity,
                             size_t *count);

void sg_set_cursor_close(sg_set_cursor *cursor);

#endif
