/* A small random game, in blocks of random length, against the definition of nim-values. */
#include "nim_self_test.h"
#include "nim_field.h"

#include "../src/splitmix.h"

/* With fewer members than a window has values, no window fills up. Sets are small, so blocks may be as long as the
 * field lets them. */
enum { HEAPS = 1500, MEMBERS = 60, LEAF_POS = 400 };

_Static_assert((int)MEMBERS < (int)SG_WINDOW_VALUES, "nothing gets stuck");

typedef struct nim_test {
    sg_memory memory;
    sg_nim_field *field;
    sg_values values;
    uint64_t random;
    uint64_t members[MEMBERS];
    uint32_t computed[HEAPS];
    uint32_t right[HEAPS];
} nim_test;

static uint64_t draw(nim_test *test, uint64_t bound) {
    return bound ? sg_splitmix64(test->random++) % bound : 0;
}

static void solve_by_definition(nim_test *test) {
    for (unsigned p = 0; p < HEAPS; p++) {
        uint64_t seen = 0; /* a mex is at most the number of options */
        for (unsigned i = 0; i < MEMBERS && test->members[i] <= p; i++)
            seen |= (uint64_t)1 << test->right[p - test->members[i]];
        test->right[p] = (uint32_t)__builtin_ctzll(~seen);
    }
}

/* One block: far options, then its halves. */
static sg_status solve_block(nim_test *test, unsigned slot, uint64_t first, uint64_t end) {
    const sg_nim_operators *operators = &sg_cuda_nim_operators;
    uint64_t middle = first + (end - first) / 2;
    sg_nim_progress progress;
    sg_status status;
    SG_TRY(operators->far(test->field, slot, first, end, first));
    SG_TRY(operators->near(test->field, slot, first, middle));
    SG_TRY(operators->cross(test->field, slot, &(sg_node){first, middle - first, middle, end}));
    SG_TRY(operators->near(test->field, slot, middle, end));
    SG_TRY(operators->progress(test->field, &progress));
cleanup:
    return status;
}

static sg_status solve_on_device(nim_test *test, const sg_device *device) {
    const sg_nim_operators *operators = &sg_cuda_nim_operators;
    sg_members members = {.limit = HEAPS, .count = MEMBERS, .smallest = test->members[0], .list = test->members};
    sg_nim_spec spec = {.device = device,
                        .shape = {.n = HEAPS, .member_count = MEMBERS, .value_bytes = 2, .leaf_pos = LEAF_POS},
                        .members = &members,
                        .memory = &test->memory};
    unsigned slot = 0;
    sg_status status;
    SG_TRY(operators->open(&spec, &test->field));
    for (uint64_t first = 0, end; first < HEAPS; first = end, slot ^= 1) { /* blocks of many lengths */
        uint64_t most = operators->block_pos(test->field);
        end = first + 1 + most / 2 + draw(test, most / 2);
        if (end > HEAPS)
            end = HEAPS;
        SG_TRY(solve_block(test, slot, first, end));
    }
    SG_TRY(operators->finish(test->field, &test->values));
    SG_TRY(test->values.store->operators->copy(test->memory.context, test->values.store, 0, HEAPS, test->computed));
cleanup:
    return status;
}

static sg_status compare(nim_test *test, const sg_device *device) {
    unsigned wrong = 0;
    for (unsigned p = 0; p < HEAPS; p++)
        wrong += sg_value_at(test->computed, test->values.bytes, p) != test->right[p];
    if (!wrong)
        return SG_OK;
    return sg_fail(test->memory.context, SG_ERROR_BACKEND,
                   "device %u (%s) computes wrong: %u of %d nim-values are wrong in the self-test", device->index,
                   device->info.name, wrong, HEAPS);
}

sg_status sg_cuda_check_nim(sg_context *context, const sg_device *device, uint64_t random) {
    sg_memory memory;
    nim_test *test;
    uint64_t s = 0;
    sg_status status;
    sg_memory_init(&memory, context, 0);
    SG_TAKE(&memory, test, sizeof *test);
    test->random = random;
    sg_memory_init(&test->memory, context, 0);
    for (unsigned i = 0; i < MEMBERS; i++)
        test->members[i] = s += 1 + draw(test, HEAPS / MEMBERS - 1);
    solve_by_definition(test);
    status = solve_on_device(test, device);
    if (status == SG_OK)
        status = compare(test, device);
    if (test->field)
        status = sg_first_failure(status, sg_cuda_nim_operators.close(test->field));
    if (test->values.store)
        test->values.store->operators->close(test->values.store);
    sg_memory_give(&memory, test);
cleanup:
    return status;
}
