/* Two passes over the set, one that counts and one that stores, cost less than guessing wrong about its density. */
#include "members.h"
#include "tuning.h"

enum { BATCH_MEMBERS = 4096 };

bool sg_members_are_listed(uint64_t count, uint64_t limit) {
    return count < sg_members_count_cap(limit);
}

uint64_t sg_members_count_cap(uint64_t limit) {
    uint64_t by_density = limit / SG_LIST_DENSITY_INVERSE + 2;
    return by_density < SG_LIST_MAX_MEMBERS ? by_density : SG_LIST_MAX_MEMBERS;
}

sg_status sg_members_count(sg_context *context, const sg_set *set, uint64_t limit, uint64_t *count) {
    sg_set_cursor *cursor = NULL;
    uint64_t batch[BATCH_MEMBERS];
    uint64_t total = 0, cap = sg_members_count_cap(limit);
    size_t got;
    sg_status status;
    SG_TRY(sg_set_cursor_open(context, set, limit, &cursor));
    do {
        SG_TRY(sg_set_cursor_next(context, cursor, batch, BATCH_MEMBERS, &got));
        total += got;
    } while (got && total < cap);
    *count = total < cap ? total : cap;
cleanup:
    sg_set_cursor_close(cursor);
    return status;
}

uint64_t sg_members_bytes(uint64_t count, uint64_t limit) {
    if (sg_members_are_listed(count, limit))
        return 8 * count + 8;
    return limit / 64 * 8 + 8;
}

static void store_batch(sg_members *members, const uint64_t *batch, size_t got) {
    for (size_t i = 0; i < got; i++) {
        uint64_t s = batch[i];
        if (members->list)
            members->list[members->count + i] = s;
        else
            members->bits[s / 64] |= (uint64_t)1 << s % 64;
        members->option_count = sg_add_saturating(members->option_count, members->limit - s);
    }
    if (got && !members->count)
        members->smallest = batch[0];
    members->count += got;
}

sg_status sg_members_load(sg_members *members, const sg_set *set, uint64_t limit, uint64_t count, sg_memory *memory,
                          sg_monitor *monitor) {
    sg_set_cursor *cursor = NULL;
    uint64_t batch[BATCH_MEMBERS];
    size_t got;
    sg_status status;
    *members = (sg_members){.limit = limit};
    if (sg_members_are_listed(count, limit))
        SG_TAKE(memory, members->list, sg_members_bytes(count, limit));
    else
        SG_TAKE(memory, members->bits, sg_members_bytes(count, limit));
    SG_TRY(sg_set_cursor_open(memory->context, set, limit, &cursor));
    do {
        SG_TRY(sg_set_cursor_next(memory->context, cursor, batch, BATCH_MEMBERS, &got));
        if (members->list && members->count + got > count)
            SG_TRY(sg_fail(memory->context, SG_ERROR_INVALID_ARGUMENT,
                           "the set gave more members on its second enumeration than on its first"));
        store_batch(members, batch, got);
        if (!sg_monitor_tick(monitor))
            SG_TRY(sg_monitor_stop(memory->context));
    } while (got);
cleanup:
    sg_set_cursor_close(cursor);
    return status;
}

void sg_members_free(sg_members *members, sg_memory *memory) {
    sg_memory_give(memory, members->list);
    sg_memory_give(memory, members->bits);
    *members = (sg_members){0};
}

bool sg_members_chunk(const sg_members *members, uint64_t *least, uint64_t below, sg_member_chunk *chunk) {
    chunk->count = 0;
    if (*least >= below)
        return false;
    sg_member_walk walk = sg_members_walk_from(members, *least);
    if (members->list) {
        chunk->members = members->list + walk.index;
        chunk->count = sg_members_walk_from(members, below).index - walk.index;
        *least = below;
    } else {
        uint64_t s;
        chunk->members = chunk->buffer;
        while (chunk->count < SG_MEMBER_CHUNK && sg_member_next(&walk, &s) && s < below)
            chunk->buffer[chunk->count++] = s;
        *least = chunk->count == SG_MEMBER_CHUNK ? chunk->buffer[SG_MEMBER_CHUNK - 1] + 1 : below;
    }
    return chunk->count > 0;
}
