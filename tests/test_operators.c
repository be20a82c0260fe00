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

/* Built a second time for the CUDA backend, whose kernels have no variants. */
#ifdef SG_TEST_BACKEND_CUDA
#define TEST_BACKEND SG_BACKEND_CUDA
#define ROUNDS       scaled(60, 12)
static const operator_case operator_cases[] = {
    {"shift_or", "portable", SHIFT_OR}, {"scatter", "portable", SCATTER}, {"convolve", "portable", CONVOLVE}};
#else
#define TEST_BACKEND SG_BACKEND_CPU
#define ROUNDS       scaled(150, 40)
static const operator_case operator_cases[] = {
    {"shift_or_portable", "portable", SHIFT_OR}, {"shift_or_avx2", "avx2", SHIFT_OR},
    {"shift_or_avx512", "avx512", SHIFT_OR},     {"scatter_portable", "portable", SCATTER},
    {"scatter_avx2", "avx2", SCATTER},           {"scatter_avx512", "avx512", SCATTER},
    {"convolve_portable", "portable", CONVOLVE}, {"convolve_avx2", "avx2", CONVOLVE},
    {"convolve_avx512", "avx512", CONVOLVE},
};
#endif

static const char *operator_name(size_t i) {
    return operator_cases[i].name;
}

/* A field on a random layout and everything that it needs to live. */
typedef struct bench_field {
    sg_device device;
    const sg_operators *operators;
    sg_memory memory;
    sg_monitor monitor;
    sg_members members;
    sg_rows rows;
    sg_shifts shifts;
    uint64_t levels;
    sg_field *field;
} bench_field;

static sg_device test_device(void) {
    sg_device device;
    if (sg_backend_find(test_context(), TEST_BACKEND, 0, &device) != SG_OK)
        end_without_device(sg_last_error(test_context()));
    return device;
}

static void open_field(bench_field *bench, const sg_game *game, sg_rows rows, uint64_t levels, bool convolves) {
    const sg_set *set = game->subtraction;
    uint64_t count;
    bench->rows = rows;
    bench->levels = levels;
    bench->device = test_device();
    bench->operators = bench->device.operators;
    sg_memory_init(&bench->memory, test_context(), 0);
    sg_monitor_init(&bench->monitor, NULL, rows.n);
    ASSERT_EQ(sg_members_count(test_context(), set, rows.n, &count), SG_OK);
    ASSERT_EQ(sg_members_load(&bench->members, set, rows.n, count, &bench->memory, &bench->monitor), SG_OK);
    ASSERT_EQ(sg_shifts_build(&bench->shifts, &bench->rows, &bench->members, &bench->memory), SG_OK);
    sg_field_spec spec = {.device = &bench->device,
                          .shape = {.rows = &bench->rows,
                                    .levels = levels,
                                    .member_count = bench->members.count,
                                    .threads = 2,
                                    .convolves = convolves},
                          .shifts = &bench->shifts,
                          .memory = &bench->memory,
                          .monitor = &bench->monitor};
    ASSERT_EQ(bench->operators->open(&spec, &bench->field), SG_OK);
    ASSERT_EQ(bench->operators->begin(bench->field), SG_OK);
}

static void close_field(bench_field *bench) {
    EXPECT_EQ(bench->operators->close(bench->field), SG_OK);
    sg_shifts_free(&bench->shifts, &bench->memory);
    sg_members_free(&bench->members, &bench->memory);
    EXPECT_EQ(bench->memory.held_bytes, 0u);
}

static bool bit_of(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

/* Whether heap size p of a level is to be planted cold. */
typedef bool (*plant_fn)(void *user, uint64_t level, uint64_t p);

/* Stores cold positions in the node's source block; cold[level * n + p] says which, `counts` how many by level and row.
 */
static void plant_cold(bench_field *bench, const sg_node *node, plant_fn plant, void *user, uint8_t *cold,
                       uint64_t *counts) {
    const sg_rows *rows = &bench->rows;
    uint64_t leaf_pos = rows->leaf_columns * rows->modulus, words = sg_leaf_words(rows);
    uint64_t *bits = calloc(bench->levels * words, 8);
    for (uint64_t column = node->first; column < node->first + node->columns; column += rows->leaf_columns) {
        memset(bits, 0, bench->levels * words * 8);
        for (uint64_t level = 0; level < bench->levels; level++)
            for (uint64_t i = 0; i < leaf_pos; i++) {
                uint64_t p = column * rows->modulus + i;
                if (!plant(user, level, p))
                    continue;
                bits[level * words + i / 64] |= (uint64_t)1 << i % 64;
                cold[level * rows->n + p] = 1;
                counts[level * rows->modulus + p % rows->modulus]++;
            }
        ASSERT_EQ(bench->operators->store_cold(bench->field, column, bits), SG_OK);
    }
    free(bits);
}

static void apply(bench_field *bench, const operator_case *which, const sg_node *node, const uint64_t *counts) {
    uint64_t modulus = bench->rows.modulus, *first = calloc(bench->levels, 8), *end = calloc(bench->levels, 8);
    uint32_t *rows = calloc(bench->levels * modulus, sizeof *rows);
    for (uint64_t level = 0; level < bench->levels; level++) {
        first[level] = end[level] = level * modulus;
        for (uint32_t r = 0; r < modulus; r++)
            if (counts[level * modulus + r])
                rows[end[level]++] = r;
    }
    sg_sources sources = {counts, rows, first, end};
    if (which->operator== CONVOLVE)
        EXPECT_EQ(bench->operators->convolve(bench->field, node, counts), SG_OK);
    else if (which->operator== SCATTER)
        EXPECT_EQ(bench->operators->scatter(bench->field, node, &sources), SG_OK);
    else
        EXPECT_EQ(bench->operators->shift_or(bench->field, node, &sources), SG_OK);
    free(first);
    free(end);
    free(rows);
}

/* Compares the hot marks of all heap sizes with what the cold positions reach. */
static void expect_contract(bench_field *bench, const sg_node *node, const uint8_t *cold) {
    const sg_rows *rows = &bench->rows;
    uint64_t n = rows->n, s, leaf_pos = rows->leaf_columns * rows->modulus, words = sg_leaf_words(rows), wrong = 0;
    uint8_t *reached = calloc(bench->levels * n, 1);
    uint64_t *bits = calloc(bench->levels * words, 8);
    for (uint64_t level = 0; level < bench->levels; level++)
        for (sg_member_walk walk = sg_members_walk(&bench->members); sg_member_next(&walk, &s);)
            for (uint64_t p = s; p < n; p++)
                reached[level * n + p] |= cold[level * n + p - s];
    for (uint64_t column = 0; column < rows->columns; column += rows->leaf_columns) {
        bool in_target = column >= node->target_first && column < node->target_end;
        ASSERT_EQ(bench->operators->fetch_hot(bench->field, column, bits), SG_OK);
        for (uint64_t level = 0; level < bench->levels; level++)
            for (uint64_t i = 0; i < leaf_pos; i++) {
                uint64_t p = column * rows->modulus + i;
                bool hot = bit_of(bits + level * words, i), expected = p >= n || reached[level * n + p];
                wrong += in_target || p >= n ? hot != expected : hot && !expected;
            }
    }
    EXPECT_EQ(wrong, 0u);
    free(reached);
    free(bits);
}

typedef struct random_plant {
    rng *random;
    uint64_t per_mille;
} random_plant;

static bool plant_randomly(void *user, uint64_t level, uint64_t p) {
    random_plant *plant = user;
    (void)p;
    return rng_chance(plant->random, level == 1 ? 0 : plant->per_mille, 1000); /* a level without cold positions too */
}

/* A random node of the recursion with a target that is not empty; false when the layout has none. */
static bool draw_node(const sg_rows *rows, rng *random, sg_node *node) {
    uint64_t half = rows->top_columns / 2, columns = rows->leaf_columns;
    while (columns < half && rng_chance(random, 2, 3))
        columns *= 2;
    if (columns > half)
        return false;
    uint64_t blocks = (rows->columns - 1) / (2 * columns) + 1, first = 2 * columns * rng_below(random, blocks);
    uint64_t upper = first + columns, end = upper + columns < rows->columns ? upper + columns : rows->columns;
    if (upper >= rows->columns)
        return false;
    /* Sometimes only the later base cases, as the part of a target that is marked second. */
    uint64_t leaves = (end - upper - 1) / rows->leaf_columns;
    uint64_t skipped = rng_chance(random, 1, 3) ? rng_below(random, leaves + 1) : 0;
    *node = (sg_node){first, columns, upper + skipped * rows->leaf_columns, end};
    return true;
}

static void try_operator(const operator_case *which, rng *random) {
    static const uint64_t moduli[] = {1, 1, 2, 3, 5, 8, 13, 65};
    static const uint64_t bases[] = {1, 2, 64, 100, 512, 1000};
    size_t family = rng_below(random, FAMILY_COUNT);
    uint64_t modulus = moduli[rng_below(random, 8)], base_pos = bases[rng_below(random, 6)];
    uint64_t n = rng_between(random, 2, scaled(20000, 6000)), levels = rng_chance(random, 1, 3) ? 3 : 1;
    random_plant plant = {random, rng_below(random, 2) ? 300 : 3};
    random_game drawn = random_game_make(random, family, n);
    sg_game *game = game_of(&drawn);
    bench_field bench = {0};
    sg_rows rows = sg_rows_make(n, modulus, base_pos);
    sg_node node;
    SG_TRACE("%s: family %s, n = %llu, M = %llu, base %llu, %llu per mille cold, %llu levels", which->name,
             family_name(family), (unsigned long long)n, (unsigned long long)modulus, (unsigned long long)base_pos,
             (unsigned long long)plant.per_mille, (unsigned long long)levels);
    if (draw_node(&rows, random, &node)) {
        uint8_t *cold = calloc(levels * n, 1);
        uint64_t *counts = calloc(levels * modulus, sizeof *counts);
        open_field(&bench, game, rows, levels, which->operator== CONVOLVE);
        plant_cold(&bench, &node, plant_randomly, &plant, cold, counts);
        apply(&bench, which, &node, counts);
        expect_contract(&bench, &node, cold);
        close_field(&bench);
        free(cold);
        free(counts);
    }
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Operator, MarksWhatTheSourceReachesAndNothingElse, operator_case, operator_cases, operator_name) {
    const char *name;
    rng random = {2026 + (uint64_t)(param - operator_cases)};
    setenv("SUBGAME_ISA", param->instruction_set, 1);
    sg_status runs = sg_instruction_set_name(test_context(), &name);
    if (runs == SG_OK)
        for (uint64_t round = 0; round < ROUNDS; round++)
            try_operator(param, &random);
    unsetenv("SUBGAME_ISA");
    if (runs != SG_OK)
        SG_SKIP("this processor has no %s", param->instruction_set);
}

SG_TEST(Operator, UnknownInstructionSetIsAnError) {
    const char *name;
    setenv("SUBGAME_ISA", "abacus", 1);
    EXPECT_EQ(sg_instruction_set_name(test_context(), &name), SG_ERROR_BACKEND);
    unsetenv("SUBGAME_ISA");
    EXPECT_TRUE(strstr(sg_last_error(test_context()), "abacus") != NULL);
}

static bool plant_mod_three(void *user, uint64_t level, uint64_t p) {
    (void)user, (void)level;
    return p % 3 == 0;
}

/* Counts that are far from evenly spread are the hardest for a transform: cold positions and members in one class
 * mod 3. */
SG_TEST(Operator, ConvolutionIsExactForSetsStructuredModThree) {
    enum { N = 60000 };
    const operator_case convolve = {"convolve", "portable", CONVOLVE};
    uint64_t *members = calloc(N, sizeof *members), count = 0, counts[1] = {0};
    for (uint64_t s = 3; s < N; s += 3)
        members[count++] = s;
    sg_game *game;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, count, &game), SG_OK);
    bench_field bench = {0};
    open_field(&bench, game, sg_rows_make(N, 1, 64), 1, true);
    sg_node node = {0, bench.rows.top_columns / 2, bench.rows.top_columns / 2, N};
    uint8_t *cold = calloc(N, 1);
    plant_cold(&bench, &node, plant_mod_three, NULL, cold, counts);
    apply(&bench, &convolve, &node, counts);
    expect_contract(&bench, &node, cold);
    close_field(&bench);
    free(members);
    free(cold);
    sg_game_destroy(game);
}
