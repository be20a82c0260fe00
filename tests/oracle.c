/* See oracle.h. No trick is used on purpose: sets are found by testing every number, games by looking at every option.
 */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

void oracle_list_add(oracle_list *list, uint64_t item) {
    if ((list->count & (list->count - 1)) == 0) { /* room is the next power of two */
        size_t room = list->count ? 2 * list->count : 1;
        uint64_t *items = realloc(list->items, room * sizeof *items);
        if (!items)
            abort();
        list->items = items;
    }
    list->items[list->count++] = item;
}

void oracle_list_free(oracle_list *list) {
    free(list->items);
    *list = (oracle_list){0};
}

/* ---------------------------------------------------------------- sets */

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t cap) {
    uint64_t product = 1;
    for (uint64_t i = 0; i < exponent; i++) {
        if (product > cap / base)
            return cap;
        product *= base;
    }
    return product < cap ? product : cap;
}

static bool is_prime(uint64_t x) {
    if (x < 2)
        return false;
    for (uint64_t d = 2; d * d <= x; d++)
        if (x % d == 0)
            return false;
    return true;
}

/* Sums of distinct powers of 4: the digits in base 4 are 0 and 1. */
static bool is_moser(uint64_t x) {
    for (; x; x /= 4)
        if (x % 4 > 1)
            return false;
    return true;
}

static bool is_fibonacci(uint64_t x) {
    uint64_t a = 1, b = 2;
    while (a < x) {
        uint64_t c = a + b;
        a = b;
        b = c;
    }
    return a == x;
}

/* The largest r with r*r <= x. */
static uint64_t root(uint64_t x) {
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit /= 2)
        if ((r + bit) * (r + bit) <= x)
            r += bit;
    return r;
}

static uint64_t splitmix(uint64_t state) {
    uint64_t z = state + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The k-th value, k = 1, 2, 3, ..., of a strictly increasing sequence. */
typedef uint64_t (*sequence_fn)(uint64_t k, uint64_t p, uint64_t q);

static uint64_t power_value(uint64_t k, uint64_t p, uint64_t q) {
    (void)q;
    return power(k, p, UINT64_MAX);
}
static uint64_t triangular_value(uint64_t k, uint64_t p, uint64_t q) {
    (void)p, (void)q;
    return k * (k + 1) / 2;
}
static uint64_t oblong_value(uint64_t k, uint64_t p, uint64_t q) {
    (void)p, (void)q;
    return k * k + k;
}
static uint64_t golden_value(uint64_t k, uint64_t p, uint64_t q) { /* floor(k (1 + sqrt 5) / 2) */
    (void)p, (void)q;
    return (k + root(5 * k * k)) / 2;
}
static uint64_t sqrt2_value(uint64_t k, uint64_t p, uint64_t q) {
    (void)p, (void)q;
    return root(2 * k * k);
}
static uint64_t e_value(uint64_t k, uint64_t p, uint64_t q) {
    (void)p, (void)q;
    return (uint64_t)((long double)k * 2.718281828459045235360287471352662498L);
}
static uint64_t ratio_value(uint64_t k, uint64_t p, uint64_t q) {
    return k * p / q;
}

/* The values below limit. */
static oracle_list values_of(sequence_fn value, uint64_t p, uint64_t q, uint64_t limit) {
    oracle_list list = {0};
    for (uint64_t k = 1; value(k, p, q) < limit; k++)
        oracle_list_add(&list, value(k, p, q));
    return list;
}

oracle_list oracle_set(const char *name, uint64_t limit) {
    uint64_t p = 0, q = 0, seed = 0;
    if (strcmp(name, "squares") == 0)
        return values_of(power_value, 2, 0, limit);
    if (strcmp(name, "cubes") == 0)
        return values_of(power_value, 3, 0, limit);
    if (sscanf(name, "powers:%" SCNu64, &p) == 1)
        return values_of(power_value, p, 0, limit);
    if (strcmp(name, "triangular") == 0)
        return values_of(triangular_value, 0, 0, limit);
    if (strcmp(name, "poly:k^2+k") == 0)
        return values_of(oblong_value, 0, 0, limit);
    if (strcmp(name, "beatty:phi") == 0)
        return values_of(golden_value, 0, 0, limit);
    if (strcmp(name, "beatty:sqrt2") == 0)
        return values_of(sqrt2_value, 0, 0, limit);
    if (strcmp(name, "beatty:e") == 0)
        return values_of(e_value, 0, 0, limit);
    if (sscanf(name, "beatty:%" SCNu64 "/%" SCNu64, &p, &q) == 2)
        return values_of(ratio_value, p, q, limit);

    oracle_list list = {0};
    bool powers_of = sscanf(name, "powers-of:%" SCNu64, &p) == 1;
    bool random = sscanf(name, "random{%" SCNu64 ",%" SCNu64 "/%" SCNu64 "}", &seed, &p, &q) == 3;
    for (uint64_t x = 1; x < limit; x++) {
        bool member = false;
        if (powers_of) {
            uint64_t y = x;
            while (y % p == 0)
                y /= p;
            member = y == 1;
        } else if (random) {
            member = splitmix(x + seed) >> 32 < (UINT64_C(1) << 32) * p / q;
        } else if (strcmp(name, "fibonacci") == 0) {
            member = is_fibonacci(x);
        } else if (strcmp(name, "primes") == 0) {
            member = is_prime(x);
        } else if (strcmp(name, "moser") == 0) {
            member = is_moser(x);
        } else if (strcmp(name, "all") == 0) {
            member = true;
        } else {
            fprintf(stderr, "oracle_set: no such set: %s\n", name);
            abort();
        }
        if (member)
            oracle_list_add(&list, x);
    }
    return list;
}

/* ---------------------------------------------------------------- games */

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A sorted copy, so that the loops over options may stop at the first member past p. */
static oracle_list sorted(const oracle_list *list) {
    oracle_list copy = {allocate(list->count, sizeof(uint64_t)), list->count};
    if (list->count)
        memcpy(copy.items, list->items, list->count * sizeof(uint64_t));
    qsort(copy.items, copy.count, sizeof(uint64_t), ascending);
    return copy;
}

static uint8_t *hotspot_flags(const oracle_game *game, uint64_t n) {
    uint8_t *flags = allocate(n, 1);
    for (size_t i = 0; i < game->hotspots.count; i++)
        if (game->hotspots.items[i] < n)
            flags[game->hotspots.items[i]] = 1;
    return flags;
}

void oracle_cold(const oracle_game *game, uint64_t n, uint8_t *cold) {
    oracle_list s = sorted(&game->members);
    uint8_t *hotspot = hotspot_flags(game, n);
    for (uint64_t p = 0; p < n; p++) {
        bool has_option = s.count && s.items[0] <= p;
        bool hot = hotspot[p] || (game->misere && !has_option);
        for (size_t i = 0; i < s.count && s.items[i] <= p && !hot; i++)
            hot = cold[p - s.items[i]];
        cold[p] = !hot;
    }
    free(hotspot);
    oracle_list_free(&s);
}

void oracle_nim(const oracle_game *game, uint64_t n, uint32_t *nim) {
    oracle_list s = sorted(&game->members);
    uint64_t *seen_by = allocate(n + 1, sizeof *seen_by); /* seen_by[v] = p + 1: an option of p has value v */
    for (uint64_t p = 0; p < n; p++) {
        for (size_t i = 0; i < s.count && s.items[i] <= p; i++)
            seen_by[nim[p - s.items[i]]] = p + 1;
        uint32_t value = 0;
        while (seen_by[value] == p + 1)
            value++;
        nim[p] = value;
    }
    free(seen_by);
    oracle_list_free(&s);
}

void oracle_remoteness(const oracle_game *game, uint64_t n, uint32_t *remoteness) {
    oracle_list s = sorted(&game->members);
    uint8_t *hotspot = hotspot_flags(game, n);
    uint8_t *cold = allocate(n, 1);
    oracle_cold(game, n, cold);
    for (uint64_t p = 0; p < n; p++) {
        remoteness[p] = 0;
        if (hotspot[p] || s.count == 0 || s.items[0] > p)
            continue;
        uint32_t best = cold[p] ? 0 : UINT32_MAX;
        for (size_t i = 0; i < s.count && s.items[i] <= p; i++) {
            uint64_t option = p - s.items[i];
            if (cold[p] && remoteness[option] > best)
                best = remoteness[option];
            if (!cold[p] && cold[option] && remoteness[option] < best)
                best = remoteness[option];
        }
        remoteness[p] = best + 1;
    }
    free(cold);
    free(hotspot);
    oracle_list_free(&s);
}
