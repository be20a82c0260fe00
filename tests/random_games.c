#include "random_games.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t rng_next(rng *random) { /* SplitMix64 */
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint64_t rng_below(rng *random, uint64_t bound) {
    return rng_next(random) % bound; /* bounds are small: the bias does not matter to tests */
}

uint64_t rng_between(rng *random, uint64_t least, uint64_t most) {
    return least + rng_below(random, most - least + 1);
}

bool rng_chance(rng *random, uint64_t numerator, uint64_t denominator) {
    return rng_below(random, denominator) < numerator;
}

/* ---------------------------------------------------------------- families */

typedef void (*family_fn)(rng *random, random_game *game, uint64_t limit);

/* Sets with a fixed specification that the oracle reads too. */
static void named(random_game *game, const char *spec, uint64_t limit) {
    snprintf(game->spec, sizeof game->spec, "%s", spec);
    game->oracle.members = oracle_set(spec, limit);
}

static void add(random_game *game, uint64_t member) {
    oracle_list_add(&game->oracle.members, member);
}

static void squares(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "squares", limit);
}
static void cubes(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "cubes", limit);
}
static void triangular(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "triangular", limit);
}
static void powers_of_two(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "powers-of:2", limit);
}
static void fibonacci(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "fibonacci", limit);
}
static void primes(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "primes", limit);
}
static void moser(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "moser", limit);
}
static void all(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "all", limit);
}
static void beatty_phi(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "beatty:phi", limit);
}
static void beatty_e(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "beatty:e", limit);
}
static void oblong(rng *random, random_game *game, uint64_t limit) {
    (void)random;
    named(game, "poly:k^2+k", limit);
}

static void random_of_density(rng *random, random_game *game, const char *density, uint64_t limit) {
    char spec[64];
    snprintf(spec, sizeof spec, "random{%" PRIu64 ",%s}", rng_below(random, 1000000), density);
    named(game, spec, limit);
}
static void random_1_64(rng *random, random_game *game, uint64_t limit) {
    random_of_density(random, game, "1/64", limit);
}
static void random_1_16(rng *random, random_game *game, uint64_t limit) {
    random_of_density(random, game, "1/16", limit);
}
static void random_1_4(rng *random, random_game *game, uint64_t limit) {
    random_of_density(random, game, "1/4", limit);
}
static void random_1_2(rng *random, random_game *game, uint64_t limit) {
    random_of_density(random, game, "1/2", limit);
}
static void random_3_4(rng *random, random_game *game, uint64_t limit) {
    random_of_density(random, game, "3/4", limit);
}

static void all_but_three(rng *random, random_game *game, uint64_t limit) {
    uint64_t a = rng_between(random, 1, 9), b = a + rng_between(random, 1, 9), c = b + rng_between(random, 1, 60);
    snprintf(game->spec, sizeof game->spec, "allbut{%" PRIu64 ",%" PRIu64 ",%" PRIu64 "}", a, b, c);
    for (uint64_t x = 1; x < limit; x++)
        if (x != a && x != b && x != c)
            add(game, x);
}

static void additive(rng *random, random_game *game, uint64_t limit) {
    (void)limit;
    uint64_t a = rng_between(random, 1, 20), b = a + rng_between(random, 1, 60);
    snprintf(game->spec, sizeof game->spec, "additive{%" PRIu64 ",%" PRIu64 "}", a, b);
    add(game, a);
    add(game, b);
    add(game, a + b);
}

static void one(rng *random, random_game *game, uint64_t limit) {
    (void)random, (void)limit;
    snprintf(game->spec, sizeof game->spec, "{1}");
    add(game, 1);
}

static void one_large(rng *random, random_game *game, uint64_t limit) {
    add(game, rng_between(random, limit / 2 + 1, limit > 2 ? limit - 1 : 2));
}

static void beyond_reach(rng *random, random_game *game, uint64_t limit) {
    add(game, limit + 1 + rng_below(random, 1000));
}

static void few_small(rng *random, random_game *game, uint64_t limit) {
    (void)limit;
    for (uint64_t count = rng_between(random, 1, 5); count; count--)
        add(game, rng_between(random, 1, 40));
}

static void list_sparse(rng *random, random_game *game, uint64_t limit) {
    for (uint64_t count = rng_between(random, 8, 40); count; count--)
        add(game, rng_between(random, 1, limit > 1 ? limit - 1 : 1));
}

static void list_dense(rng *random, random_game *game, uint64_t limit) {
    for (uint64_t x = limit; x > 0; x--) /* falling: the order of a list is free */
        if (rng_chance(random, 1, 5))
            add(game, x);
    add(game, 1 + rng_below(random, 64));
}

/* No member below a bound: the first heap sizes are all cold. */
static void list_large_members(rng *random, random_game *game, uint64_t limit) {
    uint64_t least = limit / 5 + 1;
    for (uint64_t count = 60; count; count--)
        add(game, rng_between(random, least, least + limit / 2));
}

/* All members in one residue class: transforms of such sets are far from random. */
static void multiples_of_three(rng *random, random_game *game, uint64_t limit) {
    for (uint64_t x = 3; x < limit + 3; x += 3)
        if (rng_chance(random, 1, 2) || x == 3)
            add(game, x);
}

static void odd_numbers(rng *random, random_game *game, uint64_t limit) {
    for (uint64_t x = 1; x < limit + 1; x += 2)
        if (rng_chance(random, 2, 3) || x == 1)
            add(game, x);
}

static const struct {
    const char *name;
    family_fn make;
} families[FAMILY_COUNT] = {
    {"squares", squares},
    {"cubes", cubes},
    {"triangular", triangular},
    {"powers_of_two", powers_of_two},
    {"fibonacci", fibonacci},
    {"primes", primes},
    {"moser", moser},
    {"all", all},
    {"all_but_three", all_but_three},
    {"additive", additive},
    {"beatty_phi", beatty_phi},
    {"beatty_e", beatty_e},
    {"oblong", oblong},
    {"random_1_64", random_1_64},
    {"random_1_16", random_1_16},
    {"random_1_4", random_1_4},
    {"random_1_2", random_1_2},
    {"random_3_4", random_3_4},
    {"one", one},
    {"one_large", one_large},
    {"beyond_reach", beyond_reach},
    {"few_small", few_small},
    {"list_sparse", list_sparse},
    {"list_dense", list_dense},
    {"list_large_members", list_large_members},
    {"multiples_of_three", multiples_of_three},
    {"odd_numbers", odd_numbers},
};

const char *family_name(size_t family) {
    return families[family].name;
}

random_game random_game_make(rng *random, size_t family, uint64_t limit) {
    random_game game = {0};
    families[family].make(random, &game, limit);
    return game;
}

void random_game_free(random_game *game) {
    oracle_list_free(&game->oracle.members);
    oracle_list_free(&game->oracle.hotspots);
}

void random_game_set_hotspots(rng *random, random_game *game, hotspot_kind kind, uint64_t limit) {
    oracle_list *hotspots = &game->oracle.hotspots;
    oracle_list_free(hotspots);
    if (kind == HOTSPOTS_ZERO)
        oracle_list_add(hotspots, 0);
    if (kind == HOTSPOTS_SPARSE) {
        for (uint64_t count = rng_between(random, 1, 12); count; count--)
            oracle_list_add(hotspots, rng_below(random, limit + 1));
        oracle_list_add(hotspots, limit ? limit - 1 : 0);
    }
    if (kind == HOTSPOTS_DENSE)
        for (uint64_t p = 0; p < limit; p++)
            if (rng_chance(random, 1, 2))
                oracle_list_add(hotspots, p);
    if (kind == HOTSPOTS_BEYOND)
        for (uint64_t p = limit; p < limit + 70; p += rng_between(random, 1, 20))
            oracle_list_add(hotspots, p);
}

random_game random_game_scaled(const random_game *game, uint64_t scale) {
    random_game scaled = {0};
    for (size_t i = 0; i < game->oracle.members.count; i++)
        add(&scaled, game->oracle.members.items[i] * scale);
    return scaled;
}
