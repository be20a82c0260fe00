/* The operators by themselves, through the backend interface: on any pattern of cold positions, not only those of a
 * game, each must mark every target that the source block reaches and nothing that it does not reach. Naive reference:
 * a double loop. */
#include "backend.h"
#include "checks.h"
#include "game.h"

#include <stdlib.h>
#include <string.h>

typedef struct operator_case {
    const char *name;
    const char *instruction_set; /* for SUBGAME_ISA */
    enum { SHIFT_OR, SCATTER, CONVOLVE } operator;
} operator_case;

static const operator_case operator_cases[] = {
    {"shift_or_portable", "portable", SHIFT_OR}, {"shift_or_avx2", "avx2", SHIFT_OR},
    {"shift_or_avx512", "avx512", SHIFT_OR},     {"scatter_portable", "portable", SCATTER},
    {"scatter_avx2", "avx2", SCATTER},           {"scatter_avx512", "avx512", SCATTER},
    {"convolve", "portable", CONVOLVE},
};

static const char *operator_name(size_t i) {
    return operator_cases[i].name;
}

/* A field on a random layout and everything that it needs to live. */
typedef struct bench_field {
    const sg_operators *operators;
    sg_memory memory;
    sg_monitor monitor;
    sg_members members;
    sg_rows rows;
    sg_shifts shifts;
    sg_field *field;
} bench_field;

static void open_field(bench_field *bench, const sg_game *game, uint64_t n, uint64_t modulus, uint64_t base_pos,
                       uint32_t threads, bool convolves) {
    const sg_set *set = game->subtraction;
    uint64_t count;
    sg_memory_init(&bench->memory, test_context(), 0);
    sg_monitor_init(&bench->monitor, NULL, n);
    ASSERT_EQ(sg_members_count(test_context(), set, n, &count), SG_OK);
    ASSERT_EQ(sg_members_load(&bench->members, set, n, count, &bench->memory, &bench->monitor), SG_OK);
    bench->rows = sg_rows_make(n, modulus, base_pos);
    ASSERT_EQ(sg_shifts_build(&bench->shifts, &bench->rows, &bench->members, &bench->memory), SG_OK);
    ASSERT_EQ(sg_backend_find(test_context(), SG_BACKEND_CPU, &bench->operators), SG_OK);
    sg_field_spec spec = {&bench->rows, &bench->shifts, &bench->memory, &bench->monitor, threads, false, convolves};
    ASSERT_EQ(bench->operators->open(&spec, &bench->field), SG_OK);
    ASSERT_EQ(bench->operators->begin(bench->field), SG_OK);
}

static void close_field(bench_field *bench) {
    bench->operators->close(bench->field);
    sg_shifts_free(&bench->shifts, &bench->memory);
    sg_members_free(&bench->members, &bench->memory);
    EXPECT_EQ(bench->memory.held_bytes, 0u);
}

static bool bit_of(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

/* Stores random cold positions in the node's source block, `per_mille` of the heap sizes; the same go into cold[]. */
static void plant_cold(bench_field *bench, const sg_node *node, rng *random, uint64_t per_mille, uint8_t *cold) {
    const sg_rows *rows = &bench->rows;
    uint64_t leaf_pos = rows->leaf_columns * rows->modulus, *bits = calloc(leaf_pos / 64 + 1, 8);
    for (uint64_t column = node->first; column < node->first + node->columns; column += rows->leaf_columns) {
        memset(bits, 0, (leaf_pos / 64 + 1) * 8);
        for (uint64_t i = 0; i < leaf_pos; i++)
            if (rng_chance(random, per_mille, 1000)) {
                bits[i / 64] |= (uint64_t)1 << i % 64;
                cold[column * rows->modulus + i] = 1;
            }
        ASSERT_EQ(bench->operators->store_cold(bench->field, column, bits), SG_OK);
    }
    free(bits);
}

static void apply(bench_field *bench, const operator_case *which, const sg_node *node) {
    uint64_t modulus = bench->rows.modulus, *counts = calloc(modulus, sizeof *counts), source_count = 0;
    uint32_t *sources = calloc(modulus, sizeof *sources);
    ASSERT_EQ(bench->operators->count_cold(bench->field, node, counts), SG_OK);
    for (uint32_t r = 0; r < modulus; r++)
        if (counts[r])
            sources[source_count++] = r;
    if (which->operator== CONVOLVE)
        EXPECT_EQ(bench->operators->convolve(bench->field, node, counts), SG_OK);
    else if (which->operator== SCATTER)
        EXPECT_EQ(bench->operators->scatter(bench->field, node, sources, source_count), SG_OK);
    else
        EXPECT_EQ(bench->operators->shift_or(bench->field, node, sources, source_count), SG_OK);
    free(counts);
    free(sources);
}

/* Compares the hot marks of all heap sizes with what the cold positions reach. */
static void expect_contract(bench_field *bench, const sg_node *node, const uint8_t *cold) {
    const sg_rows *rows = &bench->rows;
    uint64_t n = rows->n, s, leaf_pos = rows->leaf_columns * rows->modulus, wrong = 0;
    uint8_t *reached = calloc(n, 1);
    uint64_t *bits = calloc(leaf_pos / 64 + 1, 8);
    for (sg_member_walk walk = sg_members_walk(&bench->members); sg_member_next(&walk, &s);)
        for (uint64_t p = s; p < n; p++)
            reached[p] |= cold[p - s];
    for (uint64_t column = 0; column < rows->columns; column += rows->leaf_columns) {
        bool in_target = column >= node->first + node->columns && column < node->target_end;
        ASSERT_EQ(bench->operators->fetch_hot(bench->field, column, bits), SG_OK);
        for (uint64_t i = 0; i < leaf_pos && column * rows->modulus + i < n; i++) {
            bool hot = bit_of(bits, i), expected = reached[column * rows->modulus + i];
            wrong += in_target ? hot != expected : hot && !expected;
        }
    }
    EXPECT_EQ(wrong, 0u);
    free(reached);
    free(bits);
}

static void try_operator(const operator_case *which, rng *random) {
    static const uint64_t moduli[] = {1, 1, 2, 3, 5, 8, 13, 65};
    static const uint64_t bases[] = {1, 2, 64, 100, 512, 1000};
    size_t family = rng_below(random, FAMILY_COUNT);
    uint64_t modulus = moduli[rng_below(random, 8)], base_pos = bases[rng_below(random, 6)];
    uint64_t n = rng_between(random, 2, scaled(20000, 6000)), per_mille = rng_below(random, 2) ? 300 : 3;
    random_game drawn = random_game_make(random, family, n);
    sg_game *game = game_of(&drawn);
    bench_field bench = {0};
    SG_TRACE("%s: family %s, n = %llu, M = %llu, base %llu, %llu per mille cold", which->name, family_name(family),
             (unsigned long long)n, (unsigned long long)modulus, (unsigned long long)base_pos,
             (unsigned long long)per_mille);
    open_field(&bench, game, n, modulus, base_pos, 2, which->operator== CONVOLVE);
    uint64_t half = bench.rows.top_columns / 2, columns = bench.rows.leaf_columns;
    while (columns < half && rng_chance(random, 2, 3))
        columns *= 2;
    uint64_t blocks = columns <= half ? (bench.rows.columns - 1) / (2 * columns) + 1 : 0;
    if (blocks) {
        sg_node node = {2 * columns * rng_below(random, blocks), columns, 0};
        uint64_t upper = node.first + columns;
        node.target_end = upper + columns < bench.rows.columns ? upper + columns : bench.rows.columns;
        if (upper < bench.rows.columns) {
            uint8_t *cold = calloc(bench.rows.top_columns * modulus, 1);
            plant_cold(&bench, &node, random, per_mille, cold);
            apply(&bench, which, &node);
            expect_contract(&bench, &node, cold);
            free(cold);
        }
    }
    close_field(&bench);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Operator, MarksWhatTheSourceReachesAndNothingElse, operator_case, operator_cases, operator_name) {
    const sg_operators *operators;
    const char *name;
    rng random = {2026 + (uint64_t)(param - operator_cases)};
    setenv("SUBGAME_ISA", param->instruction_set, 1);
    ASSERT_EQ(sg_backend_find(test_context(), SG_BACKEND_CPU, &operators), SG_OK);
    sg_status runs = sg_instruction_set_name(test_context(), &name);
    if (runs == SG_OK && !(param->operator== CONVOLVE && !operators->can_convolve()))
        for (uint64_t round = 0; round < scaled(150, 40); round++)
            try_operator(param, &random);
    unsetenv("SUBGAME_ISA");
    if (runs != SG_OK)
        SG_SKIP("this processor has no %s", param->instruction_set);
    if (param->operator== CONVOLVE && !operators->can_convolve())
        SG_SKIP("this build has no Fourier transform");
}

SG_TEST(Operator, UnknownInstructionSetIsAnError) {
    const char *name;
    setenv("SUBGAME_ISA", "abacus", 1);
    EXPECT_EQ(sg_instruction_set_name(test_context(), &name), SG_ERROR_BACKEND);
    unsetenv("SUBGAME_ISA");
    EXPECT_TRUE(strstr(sg_last_error(test_context()), "abacus") != NULL);
}

/* Counts that are far from evenly spread are the hardest for a transform: cold positions and members in one class
 * mod 3. */
SG_TEST(Operator, ConvolutionIsExactForSetsStructuredModThree) {
    enum { N = 60000 };
    uint64_t *members = calloc(N, sizeof *members), count = 0;
    if (!engine_is_built(SG_ENGINE_CONVOLUTION))
        SG_SKIP("this build has no Fourier transform");
    for (uint64_t s = 3; s < N; s += 3)
        members[count++] = s;
    sg_game *game;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, count, &game), SG_OK);
    bench_field bench = {0};
    open_field(&bench, game, N, 1, 64, 2, true);
    sg_node node = {0, bench.rows.top_columns / 2, N};
    uint8_t *cold = calloc(bench.rows.top_columns, 1);
    uint64_t *bits = calloc(2, 8), counts[1];
    for (uint64_t column = 0; column < node.columns; column += 64) {
        bits[0] = 0;
        for (uint64_t i = 0; i < 64; i++)
            if ((column + i) % 3 == 0) {
                bits[0] |= (uint64_t)1 << i;
                cold[column + i] = 1;
            }
        ASSERT_EQ(bench.operators->store_cold(bench.field, column, bits), SG_OK);
    }
    ASSERT_EQ(bench.operators->count_cold(bench.field, &node, counts), SG_OK);
    EXPECT_EQ(bench.operators->convolve(bench.field, &node, counts), SG_OK);
    expect_contract(&bench, &node, cold);
    close_field(&bench);
    free(members);
    free(cold);
    free(bits);
    sg_game_destroy(game);
}
