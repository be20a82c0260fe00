#include "baselines.h"

#include <stdlib.h>
#include <string.h>

/* Shifts of one bit without a detour over the flags make marks a sixth cheaper: a baseline gets what the processor has,
 * as the library's kernels do. */
#if defined(__x86_64__)
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=haswell", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

enum { SEGMENT_POS = 1 << 22, SEGMENT_WORDS = SEGMENT_POS / 64, VALUE_COUNT = 1 << 16 };

/* The cold heap sizes so far. Each keeps its place in S: segments come in rising order, so that its marks go on where
 * they ended, and nothing is searched. */
typedef struct cold_list {
    uint64_t *heaps;
    uint32_t *places; /* squares: the next root; else the index of the next member */
    size_t count;
    size_t capacity;
} cold_list;

static bool append(cold_list *list, uint64_t heap, uint32_t place) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1 << 16;
        uint64_t *heaps = realloc(list->heaps, capacity * sizeof *heaps);
        if (heaps)
            list->heaps = heaps;
        uint32_t *places = realloc(list->places, capacity * sizeof *places);
        if (places)
            list->places = places;
        if (!heaps || !places)
            return false;
        list->capacity = capacity;
    }
    list->heaps[list->count] = heap;
    list->places[list->count++] = place;
    return true;
}

static inline void mark(uint64_t *hot, uint64_t i) {
    hot[i / 64] |= (uint64_t)1 << i % 64;
}

/* Marks what lies in the segment that begins at `first` from cold heap size c, from its place on; gives the next place.
 */
static uint32_t mark_squares(uint64_t c, uint64_t root, uint64_t first, uint64_t *hot) {
    uint64_t step = 2 * root + 1;
    for (uint64_t i = c + root * root - first; i < SEGMENT_POS; i += step, step += 2)
        mark(hot, i);
    return (uint32_t)(step / 2);
}

static uint32_t mark_members(const baseline_set *set, uint64_t c, size_t place, uint64_t first, uint64_t *hot) {
    for (; place < set->count && c + set->members[place] < first + SEGMENT_POS; place++)
        mark(hot, c + set->members[place] - first);
    return (uint32_t)place;
}

FOR_THIS_PROCESSOR
static bool sieve_segment(const baseline_set *set, uint64_t first, uint64_t end, uint64_t *hot, cold_list *list) {
    memset(hot, 0, SEGMENT_WORDS * sizeof *hot);
    if (set->squares)
        for (size_t i = 0; i < list->count; i++)
            list->places[i] = mark_squares(list->heaps[i], list->places[i], first, hot);
    else
        for (size_t i = 0; i < list->count; i++)
            list->places[i] = mark_members(set, list->heaps[i], list->places[i], first, hot);
    for (uint64_t w = 0; first + 64 * w < end; w++)
        for (uint64_t unsettled = UINT64_MAX; ~hot[w] & unsettled;) {
            unsigned bit = (unsigned)__builtin_ctzll(~hot[w] & unsettled);
            uint64_t c = first + 64 * w + bit;
            if (c >= end)
                break;
            unsettled = bit == 63 ? 0 : UINT64_MAX << (bit + 1);
            uint32_t place = set->squares ? mark_squares(c, 1, first, hot) : mark_members(set, c, 0, first, hot);
            if (!append(list, c, place))
                return false;
        }
    return true;
}

int baseline_sieve_cold(const baseline_set *set, uint64_t n, uint64_t *cold_bits) {
    uint64_t *hot = malloc(SEGMENT_WORDS * sizeof *hot);
    cold_list list = {0};
    bool done = hot != NULL && set->count <= UINT32_MAX;
    for (uint64_t first = 0; done && first < n; first += SEGMENT_POS)
        done = sieve_segment(set, first, n - first < SEGMENT_POS ? n : first + SEGMENT_POS, hot, &list);
    memset(cold_bits, 0, (n / 64 + 1) * sizeof *cold_bits);
    for (size_t i = 0; done && i < list.count; i++)
        mark(cold_bits, list.heaps[i]);
    free(hot);
    free(list.heaps);
    free(list.places);
    return done ? 0 : 1;
}

int baseline_recurrence_nim(const baseline_set *set, uint64_t n, uint16_t *values) {
    size_t usable = 0;
    if (n > UINT32_MAX)
        return 1;
    uint32_t *seen = calloc(VALUE_COUNT + 1, sizeof *seen);
    bool done = seen != NULL;
    if (done && n > 0)
        values[0] = 0; /* no stamp of its own: 0 says never */
    for (uint64_t p = 1; done && p < n; p++) {
        uint32_t stamp = (uint32_t)p, value = 0;
        while (usable < set->count && set->members[usable] <= p)
            usable++;
        for (size_t i = 0; i < usable; i++)
            seen[values[p - set->members[i]]] = stamp;
        while (seen[value] == stamp)
            value++;
        values[p] = (uint16_t)value;
        done = value < VALUE_COUNT;
    }
    free(seen);
    return done ? 0 : 1;
}
