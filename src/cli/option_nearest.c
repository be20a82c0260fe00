/* Which option a mistyped one was meant to be: the smallest edit distance, where a swap of neighbours counts as one
 * edit. */
#include "options.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 32 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance, row by row; only the last two rows are needed. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_MAX_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *current = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        current[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t substituted = above[j - 1] + (a[i - 1] != b[j - 1]);
            current[j] = smaller(substituted, smaller(above[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = smaller(current[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *option_nearest(const char *name, size_t length) {
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (length == 0 || length > NAME_MAX_LENGTH)
        return NULL;
    for (size_t i = 0; i < option_table_length; i++) {
        const char *candidate = option_table[i].name;
        size_t candidate_length = strlen(candidate);
        bool abbreviation = length >= 2 && length < candidate_length && strncmp(name, candidate, length) == 0;
        size_t edits = abbreviation ? 1 : distance(name, length, candidate, candidate_length);
        /* More than a third of the letters wrong is another word, not a slip. */
        if (edits < best_distance && edits * 3 <= smaller(length, candidate_length) + 2) {
            best = candidate;
            best_distance = edits;
        }
    }
    return best;
}
