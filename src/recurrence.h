/* The typed loops of recurrence_template.h behind calls that look at the width once. */
#ifndef SG_RECURRENCE_H
#define SG_RECURRENCE_H

#include "members.h"
#include "values.h"

uint64_t sg_mex(const sg_values *values, const sg_members *members, uint64_t p, uint64_t *stamps);
uint64_t sg_largest_option(const sg_values *values, const sg_members *members, uint64_t p);
void sg_offer_length(const sg_values *values, const sg_members *members, uint64_t p, uint64_t length);
void sg_mark_seen(const sg_values *values, uint64_t p, const uint64_t *members, size_t count, uint64_t *seen);

#endif
