/* What convolutions work with: transforms in both precisions, room for them, the stored transforms of S, and what is
 * transformed. */
#ifndef SG_CPU_CONVOLVER_H
#define SG_CPU_CONVOLVER_H

#include "field.h"
#include "transform.h"

/* A level is the binary logarithm of a transform's points, which is also that of a piece's columns. */
enum { SG_LEAST_LEVEL = 12, SG_MAX_LEVELS = 40 };
_Static_assert(SG_TRANSFORM_LEAST_POINTS == (uint64_t)1 << SG_LEAST_LEVEL, "shorter blocks are not transformed");

/* One precision: its transforms, the level of its longest pieces, and room for transforms of them. */
typedef struct sg_precision {
    sg_transform transform;
    unsigned top_level;
    uint8_t *work;
    double roundoff;
} sg_precision;

struct sg_convolver {
    sg_precision in_float;
    sg_precision in_double;
    void **stored;  /* by stored_index: transforms of S, NULL until first used */
    uint8_t *arena; /* their storage */
    uint64_t arena_used;
    bool takes_turns;          /* the arena has room for the top level or for all lower ones, not for both */
    bool holds_top;            /* then: which */
    uint8_t *window_bits;      /* of the window of S that is being transformed */
    uint8_t *marks;            /* of a target piece */
    uint64_t member_count[65]; /* members with a shift of fewer than 2^i columns */
    unsigned failed_level;     /* the least one at which a watched node had to be made again */
    uint64_t float_nodes;
    uint64_t redone;
};

static inline unsigned sg_level_of(uint64_t power) {
    return (unsigned)__builtin_ctzll(power);
}

static inline uint64_t sg_level_points(unsigned level) {
    return (uint64_t)1 << level;
}

/* Bytes of the transform of a level. */
static inline uint64_t sg_level_bytes(unsigned level, unsigned number_bytes) {
    return sg_level_points(level) * 2 * number_bytes;
}

/* The shifts first .. first+length-1 from row difference d = r - s, as bits in the convolver's window_bits; both are
 * multiples of 64. */
const uint8_t *sg_convolver_window_bits(const sg_field *field, uint64_t first, uint64_t length, int64_t d);

/* The transform of window w (1, 2, ...) of those shifts: coefficient x stands for a shift by (w-1) * 2^level + x
 * columns. Scaled so that the inverse needs no factor. */
void sg_convolver_transform_window(const sg_field *field, const sg_precision *in, unsigned level, uint64_t window,
                                   int64_t d, void *values);

/* That of window 1 in single precision, made when first asked for and then kept. */
const void *sg_convolver_stored(const sg_field *field, unsigned level, int64_t d);

/* The transform of the 2^level cold bits of a source row from a column on, which is a multiple of 8. */
void sg_convolver_transform_source(const sg_field *field, const sg_precision *in, unsigned level, uint64_t row,
                                   uint64_t column, void *values);

#endif
