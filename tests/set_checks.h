/* What the tests of sets share; a failure ends the test. */
#ifndef SET_CHECKS_H
#define SET_CHECKS_H

#include "set.h"
#include "sgtest.h"

/* A test's name, until the next call. It starts with the index, since different texts may give the same letters. */
const char *numbered(size_t index, const char *text);

uint64_t next_random(uint64_t *state);

sg_set *parse(const char *spec);

/* Reads the whole set below `limit` in batches; at most `room` members are expected. */
size_t collect(const sg_set *set, uint64_t limit, size_t capacity, uint64_t *members, size_t room);

/* How many members there are below `limit`; they must rise. */
uint64_t count_below(const sg_set *set, uint64_t limit);

bool contains(const sg_set *set, uint64_t candidate);

#endif
