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

typedef struct far_case {
    unsigned bytes;
    uint64_t values; /* values are below this */
    size_t words;    /* 0: the one-hot kernel */
} far_case;

static void run_far(const sg_kernels *kernels, const far_case *which, const void *values, uint64_t first,
                    const uint64_t *members, size_t count, uint64_t *seen, const uint64_t *one_hot) {
    if (which->words == 0 && which->bytes == 1)
        kernels->tile->far_one_hot_u8(values, first, members, count, seen, one_hot);
    else if (which->words == 0)
        kernels->tile->far_one_hot_u16(values, first, members, count, seen, one_hot);
    else if (which->bytes == 1)
        kernels->tile->far_bits_u8(values, first, members, count, seen, which->words);
    else if (which->bytes == 2)
        kernels->tile->far_bits_u16(values, first, members, count, seen, which->words);
    else
        kernels->tile->far_bits_u32(values, first, members, count, seen, which->words);
}

static uint64_t value_at(const void *values, unsigned bytes, uint64_t i) {
    return bytes == 1   ? ((const uint8_t *)values)[i]
           : bytes == 2 ? ((const uint16_t *)values)[i]
                        : ((const uint32_t *)values)[i];
}

static void expect_far(const sg_kernels *kernels, const far_case *which, rng *random, const uint64_t *one_hot) {
    enum { HEAPS = 3000, MEMBERS = 200 };
    size_t words = which->words ? which->words : SG_ONE_HOT_VALUES / 64, count = rng_below(random, MEMBERS);
    uint64_t first = rng_between(random, 1500, HEAPS - SG_TILE_POS), members[MEMBERS];
    void *values = calloc(HEAPS, which->bytes);
    uint64_t *seen = calloc(SG_TILE_POS * words, 8), *expected = calloc(SG_TILE_POS * words, 8);
    for (uint64_t i = 0; i < HEAPS; i++) {
        uint64_t value = rng_below(random, which->values);
        memcpy((char *)values + i * which->bytes, &value, which->bytes); /* little-endian, like the library */
    }
    for (size_t k = 0; k < count; k++)
        members[k] = rng_between(random, SG_TILE_POS, first);
    for (unsigned lane = 0; lane < SG_TILE_POS; lane++)
        for (size_t k = 0; k < count; k++) {
            uint64_t value = value_at(values, which->bytes, first + lane - members[k]);
            expected[lane * words + value / 64] |= (uint64_t)1 << value % 64;
        }
    run_far(kernels, which, values, first, members, count, seen, one_hot);
    EXPECT_MEMEQ(seen, expected, SG_TILE_POS * words * 8);
    free(values);
    free(seen);
    free(expected);
}

SG_TEST_P(Kernels, FarOptionsEnterEverySeenSet, char *const, instruction_sets, set_name) {
    static const far_case cases[] = {{1, 256, 0}, {2, 512, 0}, {1, 256, 4}, {2, 1000, 16}, {4, 100000, 1563}};
    const sg_kernels *kernels = kernels_or_skip(*param);
    rng random = {12};
    uint64_t *one_hot = aligned_alloc(64, SG_ONE_HOT_VALUES * SG_ONE_HOT_VALUES / 8);
    memset(one_hot, 0, SG_ONE_HOT_VALUES * SG_ONE_HOT_VALUES / 8);
    for (unsigned v = 0; v < SG_ONE_HOT_VALUES; v++)
        one_hot[v * (SG_ONE_HOT_VALUES / 64) + v / 64] = (uint64_t)1 << v % 64;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (unsigned round = 0; round < 5; round++) {
            SG_TRACE("%u-byte values below %llu", cases[c].bytes, (unsigned long long)cases[c].values);
            expect_far(kernels, &cases[c], &random, one_hot);
        }
    free(one_hot);
}
