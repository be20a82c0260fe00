#include "recurrence.h"

#define VALUE      uint8_t
#define NAME(name) name##_u8
#include "recurrence_template.h"
#undef VALUE
#undef NAME

#define VALUE      uint16_t
#define NAME(name) name##_u16
#include "recurrence_template.h"
#undef VALUE
#undef NAME

#define VALUE      uint32_t
#define NAME(name) name##_u32
#include "recurrence_template.h"
#undef VALUE
#undef NAME

#define BY_WIDTH(values, name, ...)                                                                                    \
    ((values)->bytes == 1   ? name##_u8((values)->data, __VA_ARGS__)                                                   \
     : (values)->bytes == 2 ? name##_u16((values)->data, __VA_ARGS__)                                                  \
                            : name##_u32((values)->data, __VA_ARGS__))

uint64_t sg_mex(const sg_values *values, const sg_members *members, uint64_t p, uint64_t *stamps) {
    return BY_WIDTH(values, mex, members, p, stamps);
}

uint64_t sg_largest_option(const sg_values *values, const sg_members *members, uint64_t p) {
    return BY_WIDTH(values, largest_option, members, p);
}

void sg_offer_length(const sg_values *values, const sg_members *members, uint64_t p, uint64_t length) {
    BY_WIDTH(values, offer_length, members, p, length);
}

void sg_mark_seen(const sg_values *values, uint64_t p, const uint64_t *members, size_t count, uint64_t *seen) {
    BY_WIDTH(values, mark_seen, p, members, count, seen);
}
