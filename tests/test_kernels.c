/* The inner loops of every instruction set that this processor has, against loops over single bits. */
#include "checks.h"
#include "cpu/kernels.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

static const char *const instruction_sets[] = {"portable", "avx2", "avx512"};

static const char *set_name(size_t i) {
    return instruction_sets[i];
}

static const sg_kernels *kernels_or_skip(const char *name) {
    const sg_kernels *kernels = sg_kernels_by_name(name);
    if (!kernels)
        SG_SKIP("this processor has no %s", name);
    return kernels;
}

static bool bit_of(const uint8_t *bytes, uint64_t i) {
    return bytes[i / 8] >> i % 8 & 1;
}

static void expect_shifted(const sg_kernels *kernels, rng *random, unsigned vectors, unsigned extra) {
    enum { SOURCE_BYTES = 4096, AT = 2048, SHIFTS = 100 };
    uint8_t *source = calloc(1, SOURCE_BYTES);
    uint64_t *target = aligned_alloc(64, SG_SEGMENT_BITS / 8), *before = malloc(SG_SEGMENT_BITS / 8);
    uint32_t shifts[SHIFTS];
    size_t count = rng_below(random, SHIFTS);
    uint64_t density = rng_chance(random, 1, 2) ? 50 : 2, wrong = 0;
    unsigned expected_open = 0;
    for (size_t i = 0; i < SOURCE_BYTES; i++)
        source[i] = rng_chance(random, 1, density) ? (uint8_t)rng_next(random) : 0;
    for (size_t i = 0; i < SHIFTS; i++)
        shifts[i] = (uint32_t)rng_below(random, 8 * AT - 1);
    for (unsigned w = 0; w < SG_SEGMENT_BITS / 64; w++)
        before[w] = target[w] = (uint64_t)1 << rng_below(random, 64);
    unsigned open = kernels->shift->or_shifted(target, vectors, source + AT, shifts, count, extra);
    for (unsigned i = 0; i < SG_SEGMENT_BITS; i++) {
        bool expected = bit_of((const uint8_t *)before, i);
        for (size_t k = 0; k < count && i < 512 * vectors; k++)
            expected |= bit_of(source, 8 * (uint64_t)AT + i - shifts[k] - extra);
        wrong += bit_of((const uint8_t *)target, i) != expected;
        if (i < 512 * vectors && !expected)
            expected_open |= 1u << i / 512;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(open, expected_open);
    free(source);
    free(target);
    free(before);
}

SG_TEST_P(Kernels, OrShiftedMovesEveryBit, char *const, instruction_sets, set_name) {
    const sg_kernels *kernels = kernels_or_skip(*param);
    rng random = {11};
    for (unsigned vectors = 1; vectors <= SG_SEGMENT_VECTORS; vectors++)
        for (unsigned round = 0; round < 8; round++)
            expect_shifted(kernels, &random, vectors, round % 2);
}

SG_TEST_P(Kernels, TransposeSwapsRowsAndColumns, char *const, instruction_sets, set_name) {
    const sg_kernels *kernels = kernels_or_skip(*param);
    rng random = {13};
    for (unsigned round = 0; round < 20; round++) {
        uint64_t matrix[64], before[64], wrong = 0;
        for (unsigned r = 0; r < 64; r++)
            matrix[r] = before[r] = rng_next(&random);
        kernels->transpose->transpose(matrix);
        for (unsigned r = 0; r < 64; r++)
            for (unsigned c = 0; c < 64; c++)
                wrong += (matrix[r] >> c & 1) != (before[c] >> r & 1);
        EXPECT_EQ(wrong, 0u);
    }
}

typedef struct far_case {
    unsigned bytes;
    uint64_t values; /* values are below this */
    bool sliced;
} far_case;

/* Words of a sliced set, bytes of a flat one. */
static size_t set_size(const far_case *which) {
    return which->sliced ? (size_t)which->values / 64 : (size_t)which->values + 64;
}

static void run_far(const sg_kernels *kernels, const far_case *which, const void *values, uint64_t first,
                    const uint64_t *members, size_t count, void *seen) {
    const sg_tile_kernels *tile = kernels->tile;
    size_t size = set_size(which);
    if (which->sliced)
        which->bytes == 1 ? tile->far_sliced_u8(values, first, members, count, seen, size)
                          : tile->far_sliced_u16(values, first, members, count, seen, size);
    else if (which->bytes == 1)
        tile->far_flat_u8(values, first, members, count, seen, size);
    else if (which->bytes == 2)
        tile->far_flat_u16(values, first, members, count, seen, size);
    else
        tile->far_flat_u32(values, first, members, count, seen, size);
}

static uint64_t value_at(const void *values, unsigned bytes, uint64_t i) {
    return bytes == 1   ? ((const uint8_t *)values)[i]
           : bytes == 2 ? ((const uint16_t *)values)[i]
                        : ((const uint32_t *)values)[i];
}

static void mark(const far_case *which, void *seen, unsigned lane, uint64_t value) {
    if (which->sliced)
        ((uint64_t *)seen)[value / 64 * SG_TILE_POS + lane] |= (uint64_t)1 << value % 64;
    else
        ((uint8_t *)seen)[lane * set_size(which) + value] = 1;
}

static void expect_far(const sg_kernels *kernels, const far_case *which, rng *random) {
    enum { HEAPS = 3000, MEMBERS = 200 };
    size_t count = rng_below(random, MEMBERS), bytes = SG_TILE_POS * set_size(which) * (which->sliced ? 8 : 1);
    uint64_t first = rng_between(random, 1500, HEAPS - SG_TILE_POS), members[MEMBERS];
    void *values = calloc(HEAPS, which->bytes), *seen = aligned_alloc(64, (bytes + 63) / 64 * 64),
         *expected = calloc(1, bytes);
    for (uint64_t i = 0; i < HEAPS; i++) {
        uint64_t value = rng_below(random, which->values);
        memcpy((char *)values + i * which->bytes, &value, which->bytes); /* little-endian, like the library */
    }
    for (unsigned earlier = 0; earlier < 100; earlier++)
        mark(which, expected, (unsigned)rng_below(random, SG_TILE_POS), rng_below(random, which->values));
    memcpy(seen, expected, bytes);
    for (size_t k = 0; k < count; k++)
        members[k] = rng_between(random, SG_TILE_POS, first);
    for (unsigned lane = 0; lane < SG_TILE_POS; lane++)
        for (size_t k = 0; k < count; k++)
            mark(which, expected, lane, value_at(values, which->bytes, first + lane - members[k]));
    run_far(kernels, which, values, first, members, count, seen);
    EXPECT_MEMEQ(seen, expected, bytes);
    free(values);
    free(seen);
    free(expected);
}

SG_TEST_P(Kernels, FarOptionsEnterEverySeenSet, char *const, instruction_sets, set_name) {
    static const far_case flat[] = {
        {1, 7, false}, {1, 256, false}, {2, 512, false}, {2, 65536, false}, {4, 70000, false}};
    const sg_kernels *kernels = kernels_or_skip(*param);
    rng random = {12};
    EXPECT_LE(kernels->tile->sliced_words, SG_TILE_SLICED_WORDS);
    for (unsigned round = 0; round < 5; round++) {
        for (uint64_t words = 1; words <= kernels->tile->sliced_words; words++) {
            SG_TRACE("sliced, %llu words", (unsigned long long)words);
            expect_far(kernels, &(far_case){2, 64 * words, true}, &random);
            if (words <= 4)
                expect_far(kernels, &(far_case){1, 64 * words, true}, &random);
        }
        for (size_t c = 0; c < sizeof flat / sizeof *flat; c++) {
            SG_TRACE("flat, %u-byte values below %llu", flat[c].bytes, (unsigned long long)flat[c].values);
            expect_far(kernels, &flat[c], &random);
        }
    }
}
