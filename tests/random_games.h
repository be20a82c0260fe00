/* Seeded random games: subtraction sets of many kinds, hotspot sets, heap counts and layouts. The same seed gives the
 * same game on every machine. Members come from the oracle or from the generator itself, never from the library. */
#ifndef RANDOM_GAMES_H
#define RANDOM_GAMES_H

#include "oracle.h"

typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *random);
uint64_t rng_below(rng *random, uint64_t bound);                  /* 0 .. bound-1, bound >= 1 */
uint64_t rng_between(rng *random, uint64_t least, uint64_t most); /* both included */
bool rng_chance(rng *random, uint64_t numerator, uint64_t denominator);

/* A game as the library is told of it and as the oracle sees it. */
typedef struct random_game {
    char spec[64];      /* specification of the subtraction set; "" when it is given by its members */
    oracle_game oracle; /* members below the limit it was made for (one past it for the set beyond reach) */
} random_game;

/* Families of subtraction sets; each has a name for test names and traces. */
enum { FAMILY_COUNT = 27 };
const char *family_name(size_t family);

/* A game without hotspots, normal play, of the given family. */
random_game random_game_make(rng *random, size_t family, uint64_t limit);
void random_game_free(random_game *game);

typedef enum hotspot_kind {
    HOTSPOTS_NONE,
    HOTSPOTS_ZERO,   /* {0} */
    HOTSPOTS_SPARSE, /* a few, the last heap size among them */
    HOTSPOTS_DENSE,  /* about half of the heap sizes */
    HOTSPOTS_BEYOND, /* only past the limit: they must not matter */
    HOTSPOT_KINDS
} hotspot_kind;

/* Replaces the hotspots of a game. */
void random_game_set_hotspots(rng *random, random_game *game, hotspot_kind kind, uint64_t limit);

/* Members x scale, hotspots dropped. */
random_game random_game_scaled(const random_game *game, uint64_t scale);

#endif
