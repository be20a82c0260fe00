/* The naive oracle: the definition of the game, written down once, as slowly and as plainly as possible.
 *
 * It includes nothing of the library, so that no fault can be shared. Everything here is quadratic or worse; sizes up
 * to some tens of thousands are what it is for.
 *
 *   hot(p)         p is a hotspot, or some option p - s is cold; under misere play also when p has no option
 *   nim(p)         the least value that no option of p has
 *   remoteness(p)  0 for hotspots and for positions without options; the winner hurries: 1 + the least over the cold
 *                  options; the loser delays: 1 + the largest over all options */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of numbers; `items` is from malloc. */
typedef struct oracle_list {
    uint64_t *items;
    size_t count;
} oracle_list;

void oracle_list_add(oracle_list *list, uint64_t item);
void oracle_list_free(oracle_list *list);

/* The members below `limit`, in increasing order, of
 *   squares cubes powers:K powers-of:B triangular fibonacci primes moser all
 *   beatty:phi beatty:sqrt2 beatty:e beatty:P/Q poly:k^2+k random{SEED,P/Q}
 * each by its definition. A name that is not known ends the program. The caller frees the list. */
oracle_list oracle_set(const char *name, uint64_t limit);

typedef struct oracle_game {
    oracle_list members;  /* any order; those at or past n do not matter */
    oracle_list hotspots; /* any order */
    bool misere;
} oracle_game;

/* cold[p] = 1 when p is cold, else 0, for p < n. */
void oracle_cold(const oracle_game *game, uint64_t n, uint8_t *cold);

/* Nim-values; hotspots and the play convention are not looked at. */
void oracle_nim(const oracle_game *game, uint64_t n, uint32_t *nim);

void oracle_remoteness(const oracle_game *game, uint64_t n, uint32_t *remoteness);

#endif
