/* What a set is made of, shared by the files that read, enumerate and name sets. */
#ifndef SG_SET_INTERNAL_H
#define SG_SET_INTERNAL_H

#include "alpha.h"
#include "number_list.h"
#include "polynomial.h"
#include "primes.h"
#include "set.h"

/* Where the next members go: an array of `capacity`, of which `count` are filled. */
typedef struct sg_batch {
    uint64_t *members;
    size_t capacity;
    size_t count;
} sg_batch;

/* How the members of one family of sets are found. */
typedef struct sg_sequence {
    sg_status (*open)(sg_context *context, sg_set_cursor *cursor); /* NULL: nothing to prepare */
    sg_status (*next)(sg_context *context, sg_set_cursor *cursor, sg_batch *batch);
    void (*close)(sg_set_cursor *cursor);                    /* NULL: nothing to release */
    bool (*contains)(const sg_set *set, uint64_t candidate); /* NULL: by enumeration */
} sg_sequence;

/* Terms of a formula in k = 1, 2, 3, ... */
extern const sg_sequence sg_powers_sequence;    /* k^parameter */
extern const sg_sequence sg_powers_of_sequence; /* parameter^(k-1) */
extern const sg_sequence sg_triangular_sequence;
extern const sg_sequence sg_fibonacci_sequence;
extern const sg_sequence sg_moser_sequence;
extern const sg_sequence sg_beatty_sequence;

extern const sg_sequence sg_list_sequence;   /* the list */
extern const sg_sequence sg_all_sequence;    /* the positive integers except the list */
extern const sg_sequence sg_random_sequence; /* seed, threshold */
extern const sg_sequence sg_prime_sequence;
extern const sg_sequence sg_polynomial_sequence;
extern const sg_sequence sg_callback_sequence;

struct sg_set {
    const sg_sequence *sequence;
    char *name;
    uint64_t parameter;
    sg_number_list list;
    sg_alpha alpha;
    uint64_t seed, threshold; /* a candidate belongs when the high half of its mix is below the threshold */
    sg_polynomial *polynomial;
    sg_member_fn next_member;
    void *user;
};

struct sg_set_cursor {
    const sg_set *set;
    uint64_t limit;
    uint64_t at;       /* the k, the index or the candidate that comes next */
    size_t list_at;    /* lists: index of the next number */
    size_t list_end;   /* lists: numbers below the limit */
    uint64_t previous; /* callbacks: the last member */
    sg_primes *primes;
    sg_polynomial_walk walk;
};

/* An empty set, to be filled in; SG_ERROR_OUT_OF_MEMORY. */
sg_status sg_set_new(sg_context *context, const sg_sequence *sequence, sg_set **set);

/* Sets the canonical name, printf-like. */
sg_status sg_set_rename(sg_context *context, sg_set *set, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finishes the set's list and names it prefix{1,2,3}, or shortened when it is long. */
sg_status sg_set_finish_list(sg_context *context, sg_set *set, const char *prefix);

/* Appends the numbers of a file to the set's list. `what` names a number in error texts. */
sg_status sg_set_read_file(sg_context *context, const char *path, const char *what, sg_zero zero, sg_set *set);

#endif
