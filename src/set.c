/* Sets as objects: creation, canonical names and cursors. How members are found is in sequences.c, how specifications
 * are read in set_parse.c. */
#include "set_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists up to NAME_FULL numbers are named in full, longer ones by their first NAME_HEAD and their last. */
enum { NAME_FULL = 32, NAME_HEAD = 3, NAME_NUMBER_BYTES = 21 };

sg_status sg_set_new(sg_context *context, const sg_sequence *sequence, sg_set **set) {
    sg_set *created = calloc(1, sizeof *created);
    if (!created)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for a set");
    created->sequence = sequence;
    *set = created;
    return SG_OK;
}

void sg_set_destroy(sg_set *set) {
    if (!set)
        return;
    sg_number_list_free(&set->list);
    free(set->polynomial);
    free(set->name);
    free(set);
}

sg_status sg_set_rename(sg_context *context, sg_set *set, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!name)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for the name of a set");
    va_start(arguments, format);
    vsnprintf(name, (size_t)length + 1, format, arguments);
    va_end(arguments);
    free(set->name);
    set->name = name;
    return SG_OK;
}

sg_status sg_set_finish_list(sg_context *context, sg_set *set, const char *prefix) {
    sg_number_list *list = &set->list;
    char numbers[NAME_FULL * NAME_NUMBER_BYTES] = "";
    size_t length = 0;
    sg_number_list_finish(list);
    size_t head = list->count > NAME_FULL ? NAME_HEAD : list->count;
    for (size_t i = 0; i < head; i++)
        length += (size_t)snprintf(numbers + length, sizeof numbers - length, "%s%llu", i ? "," : "",
                                   (unsigned long long)list->numbers[i]);
    if (head == list->count)
        return sg_set_rename(context, set, "%s{%s}", prefix, numbers);
    return sg_set_rename(context, set, "%s{%s,...,%llu} (%zu members)", prefix, numbers,
                         (unsigned long long)list->numbers[list->count - 1], list->count);
}

sg_status sg_set_from_members(sg_context *context, const uint64_t *members, size_t count, sg_zero zero, sg_set **set) {
    sg_set *created = NULL;
    sg_status status = SG_OK;
    if (count == 0)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "the set has no members");
    SG_TRY(sg_set_new(context, &sg_list_sequence, &created));
    for (size_t i = 0; i < count; i++) {
        if (members[i] == 0 && zero == SG_ZERO_REFUSED) {
            status = sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                             "the member at index %zu is 0; members are positive integers", i);
            goto cleanup;
        }
        SG_TRY(sg_number_list_push(context, &created->list, members[i]));
    }
    SG_TRY(sg_set_finish_list(context, created, ""));
    *set = created;
    created = NULL;
cleanup:
    sg_set_destroy(created);
    return status;
}

sg_status sg_set_from_callback(sg_context *context, const char *name, sg_member_fn next_member, void *user,
                               sg_set **set) {
    sg_set *created = NULL;
    sg_status status = SG_OK;
    SG_TRY(sg_set_new(context, &sg_callback_sequence, &created));
    created->next_member = next_member;
    created->user = user;
    SG_TRY(sg_set_rename(context, created, "%s", name));
    *set = created;
    created = NULL;
cleanup:
    sg_set_destroy(created);
    return status;
}

const char *sg_set_name(const sg_set *set) {
    return set->name;
}

static sg_status contains_by_enumeration(sg_context *context, const sg_set *set, uint64_t candidate, bool *is_member) {
    uint64_t batch[256];
    size_t count;
    sg_set_cursor *cursor = NULL;
    uint64_t limit = candidate == UINT64_MAX ? candidate : candidate + 1;
    sg_status status = sg_set_cursor_open(context, set, limit, &cursor);
    *is_member = false;
    while (status == SG_OK) {
        status = sg_set_cursor_next(context, cursor, batch, sizeof batch / sizeof *batch, &count);
        if (status != SG_OK || count == 0)
            break;
        *is_member = batch[count - 1] == candidate;
    }
    sg_set_cursor_close(cursor);
    return status;
}

sg_status sg_set_contains(sg_context *context, const sg_set *set, uint64_t candidate, bool *is_member) {
    if (!set->sequence->contains)
        return contains_by_enumeration(context, set, candidate, is_member);
    *is_member = set->sequence->contains(set, candidate);
    return SG_OK;
}

sg_status sg_set_cursor_open(sg_context *context, const sg_set *set, uint64_t limit, sg_set_cursor **cursor) {
    sg_set_cursor *opened = calloc(1, sizeof *opened);
    if (!opened)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory to enumerate a set");
    opened->set = set;
    opened->limit = limit;
    sg_status status = set->sequence->open ? set->sequence->open(context, opened) : SG_OK;
    if (status == SG_OK)
        *cursor = opened;
    else
        sg_set_cursor_close(opened);
    return status;
}

sg_status sg_set_cursor_next(sg_context *context, sg_set_cursor *cursor, uint64_t *members, size_t capacity,
                             size_t *count) {
    sg_batch batch = {members, capacity, 0};
    sg_status status = cursor->set->sequence->next(context, cursor, &batch);
    *count = status == SG_OK ? batch.count : 0;
    return status;
}

void sg_set_cursor_close(sg_set_cursor *cursor) {
    if (!cursor)
        return;
    if (cursor->set->sequence->close)
        cursor->set->sequence->close(cursor);
    free(cursor);
}
