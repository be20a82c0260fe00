#include "set_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *numbered(size_t index, const char *text) {
    static char name[160];
    snprintf(name, sizeof name, "%zu %s", index, text);
    return name;
}

uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

sg_set *parse(const char *spec) {
    sg_context *context = NULL;
    sg_set *set = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    sg_set_parse(context, spec, SG_ZERO_REFUSED, "subtraction set", &set);
    EXPECT_STREQ(sg_last_error(context), "");
    ASSERT_TRUE(set);
    sg_context_destroy(context);
    return set;
}

size_t collect(const sg_set *set, uint64_t limit, size_t capacity, uint64_t *members, size_t room) {
    uint64_t *batch = malloc(capacity * sizeof *batch); /* exactly the capacity, for the address sanitizer */
    sg_set_cursor *cursor = NULL;
    size_t total = 0, count = 0;
    ASSERT_TRUE(batch);
    ASSERT_EQ(sg_set_cursor_open(NULL, set, limit, &cursor), SG_OK);
    do {
        ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, capacity, &count), SG_OK);
        ASSERT_LE(count, capacity);
        ASSERT_LE(total + count, room);
        memcpy(members + total, batch, count * sizeof *batch);
        total += count;
    } while (count);
    ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, capacity, &count), SG_OK);
    ASSERT_EQ(count, 0u);
    sg_set_cursor_close(cursor);
    free(batch);
    return total;
}

uint64_t count_below(const sg_set *set, uint64_t limit) {
    enum { BATCH = 4096 };
    static uint64_t batch[BATCH];
    sg_set_cursor *cursor = NULL;
    uint64_t total = 0, previous = 0;
    size_t count = 0;
    bool increasing = true;
    ASSERT_EQ(sg_set_cursor_open(NULL, set, limit, &cursor), SG_OK);
    do {
        ASSERT_EQ(sg_set_cursor_next(NULL, cursor, batch, BATCH, &count), SG_OK);
        for (size_t i = 0; i < count; i++) {
            increasing = increasing && previous < batch[i];
            previous = batch[i];
        }
        total += count;
    } while (count);
    ASSERT_TRUE(increasing);
    ASSERT_TRUE(total == 0 || previous < limit);
    sg_set_cursor_close(cursor);
    return total;
}

bool contains(const sg_set *set, uint64_t candidate) {
    bool is_member = false;
    ASSERT_EQ(sg_set_contains(NULL, set, candidate, &is_member), SG_OK);
    return is_member;
}
