/* The start-up self-test: a card, a driver or a build that computes wrong is noticed before it is trusted with a game.
 *
 * Each operator marks a random node of a random field, and every heap size is compared with a double loop on the host.
 * Offsets, members and cold positions differ from start to start, so that over time a fault has nowhere to hide. */
#include "field.h"
#include "nim_self_test.h"
#include "operators.h"

#include <string.h>
#include <time.h>

#include "../src/splitmix.h"

enum { HEAPS = 12000, ROWS = 3, LEVELS = 2, LEAF_POS = 512, MEMBERS = 60, COLD = 150 };

typedef struct self_test {
    const sg_operators *operators;
    sg_memory memory;
    sg_monitor monitor;
    sg_rows rows;
    sg_shifts shifts;
    sg_field *field;
    sg_node node;
    uint64_t random;
    uint64_t members[MEMBERS];
    uint8_t cold[LEVELS][HEAPS];
    uint64_t counts[LEVELS * ROWS];
    uint64_t bits[LEVELS * (2 * LEAF_POS / 64 + 1)];
} self_test;

static uint64_t draw(self_test *test, uint64_t bound) {
    return sg_splitmix64(test->random++) % bound;
}

/* Members of rising size, so that the list is sorted: small and large ones. */
static void draw_members(self_test *test) {
    uint64_t s = 0;
    for (unsigned i = 0; i < MEMBERS; i++) {
        s += 1 + draw(test, HEAPS / MEMBERS - 1);
        test->members[i] = s;
    }
}

static sg_status open_test(self_test *test, const sg_device *device) {
    sg_members members = {.limit = HEAPS, .count = MEMBERS, .smallest = test->members[0], .list = test->members};
    sg_status status;
    test->rows = sg_rows_make(HEAPS, ROWS, LEAF_POS);
    SG_TRY(sg_shifts_build(&test->shifts, &test->rows, &members, &test->memory));
    sg_field_spec spec = {
        .device = device,
        .shape = {.rows = &test->rows, .levels = LEVELS, .member_count = MEMBERS, .threads = 1, .convolves = true},
        .shifts = &test->shifts,
        .memory = &test->memory,
        .monitor = &test->monitor};
    SG_TRY(sg_cuda_open(&spec, &test->field));
    uint64_t columns = test->rows.top_columns / 4;
    uint64_t first = 2 * columns * draw(test, 2), end = first + 2 * columns;
    test->node = (sg_node){first, columns, first + columns, end < test->rows.columns ? end : test->rows.columns};
cleanup:
    return status;
}

static sg_status plant_cold(self_test *test) {
    uint64_t leaf_pos = test->rows.leaf_columns * ROWS, words = sg_leaf_words(&test->rows);
    uint64_t source_pos = test->node.columns * ROWS, first_pos = test->node.first * ROWS;
    sg_status status = SG_OK;
    for (unsigned i = 0; i < COLD; i++)
        for (unsigned level = 0; level < LEVELS; level++)
            test->cold[level][first_pos + draw(test, source_pos)] = 1;
    for (uint64_t column = test->node.first; column < test->node.target_first; column += test->rows.leaf_columns) {
        memset(test->bits, 0, sizeof test->bits);
        for (unsigned level = 0; level < LEVELS; level++)
            for (uint64_t i = 0; i < leaf_pos; i++) {
                uint64_t p = column * ROWS + i;
                if (!test->cold[level][p])
                    continue;
                test->bits[level * words + i / 64] |= (uint64_t)1 << i % 64;
                test->counts[level * ROWS + p % ROWS]++;
            }
        SG_TRY(test->operators->store_cold(test->field, column, test->bits));
    }
cleanup:
    return status;
}

static bool is_reached(const self_test *test, unsigned level, uint64_t p) {
    for (unsigned i = 0; i < MEMBERS && test->members[i] <= p; i++)
        if (test->cold[level][p - test->members[i]])
            return true;
    return false;
}

/* Counts the heap sizes that are marked and should not be, or in the target and not marked though they should be. */
static sg_status count_wrong(self_test *test, uint64_t *wrong) {
    uint64_t leaf_pos = test->rows.leaf_columns * ROWS, words = sg_leaf_words(&test->rows);
    sg_status status = SG_OK;
    *wrong = 0;
    for (uint64_t column = 0; column < test->rows.columns; column += test->rows.leaf_columns) {
        bool in_target = column >= test->node.target_first && column < test->node.target_end;
        SG_TRY(test->operators->fetch_hot(test->field, column, test->bits));
        for (unsigned level = 0; level < LEVELS; level++)
            for (uint64_t i = 0; i < leaf_pos && column * ROWS + i < HEAPS; i++) {
                bool marked = test->bits[level * words + i / 64] >> i % 64 & 1;
                bool reached = is_reached(test, level, column * ROWS + i);
                *wrong += in_target ? marked != reached : marked && !reached;
            }
    }
cleanup:
    return status;
}

static const char *const operator_names[] = {"shift_or", "scatter", "convolve"};

static sg_status apply(self_test *test, unsigned which) {
    static const uint32_t rows[LEVELS * ROWS] = {0, 1, 2, 0, 1, 2};
    static const uint64_t first[LEVELS] = {0, ROWS}, end[LEVELS] = {ROWS, 2 * ROWS};
    sg_sources sources = {test->counts, rows, first, end};
    switch (which) {
    case 0:
        return test->operators->shift_or(test->field, &test->node, &sources);
    case 1:
        return test->operators->scatter(test->field, &test->node, &sources);
    default:
        return test->operators->convolve(test->field, &test->node, test->counts);
    }
}

static sg_status run_operator(self_test *test, const sg_device *device, unsigned which) {
    uint64_t wrong;
    sg_status status;
    memset(test->counts, 0, sizeof test->counts);
    memset(test->cold, 0, sizeof test->cold);
    draw_members(test);
    SG_TRY(open_test(test, device));
    SG_TRY(plant_cold(test));
    SG_TRY(apply(test, which));
    SG_TRY(count_wrong(test, &wrong));
    if (wrong)
        SG_TRY(sg_fail(test->memory.context, SG_ERROR_BACKEND,
                       "device %u (%s) computes wrong: %s marked %llu of %d heap sizes wrongly in the self-test",
                       device->index, device->info.name, operator_names[which], (unsigned long long)wrong,
                       LEVELS * HEAPS));
cleanup:
    if (test->field)
        status = sg_first_failure(status, sg_cuda_close(test->field));
    test->field = NULL;
    sg_shifts_free(&test->shifts, &test->memory);
    return status;
}

sg_status sg_cuda_check(sg_context *context, const sg_device *device) {
    sg_memory memory;
    self_test *test;
    struct timespec now;
    sg_status status;
    sg_memory_init(&memory, context, 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    SG_TAKE(&memory, test, sizeof *test);
    test->operators = device->operators;
    test->random = (uint64_t)now.tv_nsec << 20 ^ (uint64_t)now.tv_sec;
    sg_memory_init(&test->memory, context, 0);
    sg_monitor_init(&test->monitor, NULL, HEAPS);
    for (unsigned which = 0; which < 3 && status == SG_OK; which++)
        status = run_operator(test, device, which);
    if (status == SG_OK)
        status = sg_cuda_check_nim(context, device, test->random);
    sg_memory_give(&memory, test);
cleanup:
    return status;
}
