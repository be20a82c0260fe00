/* The members of a subtraction set below a limit, held in memory: as a list when they are few, as a bit vector when
 * dense. */
#ifndef SG_MEMBERS_H
#define SG_MEMBERS_H

#include "memory.h"
#include "monitor.h"
#include "search.h"
#include "set.h"

typedef struct sg_members {
    uint64_t limit;        /* every member s satisfies s < limit */
    uint64_t count;        /* how many there are */
    uint64_t smallest;     /* 0 when there are none */
    uint64_t option_count; /* sum of limit - s: the moves from heap sizes below the limit; saturates */
    uint64_t *list;        /* ascending; NULL when held as bits */
    uint64_t *bits;        /* bit s is set for a member s; NULL when held as a list */
} sg_members;

/* Whether `count` members below `limit` are held as a list. */
bool sg_members_are_listed(uint64_t count, uint64_t limit);

/* Counts the members below `limit`, giving up at sg_members_count_cap(limit): more than that are held as bits anyway,
 * and planning must not cost more than solving. */
sg_status sg_members_count(sg_context *context, const sg_set *set, uint64_t limit, uint64_t *count);
uint64_t sg_members_count_cap(uint64_t limit);

/* Bytes that sg_members_load takes for a count as sg_members_count gives it. */
uint64_t sg_members_bytes(uint64_t count, uint64_t limit);

/* Enumerates `set` below `limit`; `count` is what sg_members_count gave. Release with sg_members_free. */
sg_status sg_members_load(sg_members *members, const sg_set *set, uint64_t limit, uint64_t count, sg_memory *memory,
                          sg_monitor *monitor);
void sg_members_free(sg_members *members, sg_memory *memory);

/* Walks the members from the smallest up:
 *     for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s);) ... */
typedef struct sg_member_walk {
    const sg_members *members;
    uint64_t index;     /* of the list entry, or of the word after `remaining` */
    uint64_t remaining; /* members of the current word not yet given */
} sg_member_walk;

static inline sg_member_walk sg_members_walk(const sg_members *members) {
    return (sg_member_walk){members, 0, 0};
}

/* The same, from the first member >= least on. */
static inline sg_member_walk sg_members_walk_from(const sg_members *members, uint64_t least) {
    if (members->list)
        return (sg_member_walk){members, sg_lower_bound_u64(members->list, 0, members->count, least), 0};
    if (least >= members->limit)
        return (sg_member_walk){members, members->limit / 64 + 1, 0};
    return (sg_member_walk){members, least / 64 + 1, members->bits[least / 64] & UINT64_MAX << least % 64};
}

/* Members below `bound`: exactly in a list, in proportion where they are held as bits. */
static inline double sg_members_below(const sg_members *members, uint64_t bound) {
    if (members->list)
        return (double)sg_members_walk_from(members, bound).index;
    return (double)members->count * (double)(bound < members->limit ? bound : members->limit) / (double)members->limit;
}

static inline bool sg_member_next(sg_member_walk *walk, uint64_t *s) {
    const sg_members *members = walk->members;
    if (members->list) {
        if (walk->index == members->count)
            return false;
        *s = members->list[walk->index++];
        return true;
    }
    while (!walk->remaining) {
        if (walk->index > (members->limit - 1) / 64 || !members->bits)
            return false;
        walk->remaining = members->bits[walk->index++];
    }
    *s = 64 * (walk->index - 1) + (uint64_t)__builtin_ctzll(walk->remaining);
    walk->remaining &= walk->remaining - 1;
    return true;
}

/* A run of members as an array, for loops that want one. */
enum { SG_MEMBER_CHUNK = 512 };

typedef struct sg_member_chunk {
    const uint64_t *members; /* into the list, or into `buffer` */
    size_t count;
    uint64_t buffer[SG_MEMBER_CHUNK];
} sg_member_chunk;

/* Gives the members from *least up to below `below`, all of them or the next SG_MEMBER_CHUNK, and moves *least past
 * them. Returns false when there are none left. */
bool sg_members_chunk(const sg_members *members, uint64_t *least, uint64_t below, sg_member_chunk *chunk);

#endif
