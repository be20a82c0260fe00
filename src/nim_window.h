/* What is known of the values of a heap size's options, as far as its mex may depend on it. For device code too. */
#ifndef SG_NIM_WINDOW_H
#define SG_NIM_WINDOW_H

#include <stdint.h>

/* Below the base, only the holes may be missing; from the base on, bits tell. With holes the base lies where most
 * values are missing: else a window would begin, and end, far below the mex whenever far options miss one small value
 * that a near one has. For squares in blocks of 200,000 heap sizes, seven holes and 128 bits never fill up past 2^21
 * (seen below 2^23); without holes, 96 bits did every 250 heap sizes. */
enum { SG_WINDOW_HOLES = 7, SG_WINDOW_WORDS = 4, SG_WINDOW_VALUES = 32 * SG_WINDOW_WORDS };

#define SG_WINDOW_NO_VALUE UINT32_MAX /* no value that can be */

/* 48 bytes: three accesses of 16 bytes. */
typedef struct sg_window {
    uint32_t base;
    uint32_t holes[SG_WINDOW_HOLES]; /* rising; SG_WINDOW_NO_VALUE where there is none, or an option has it */
    uint32_t seen[SG_WINDOW_WORDS];  /* bit i of word w: value base + 32 w + i is an option's */
} __attribute__((aligned(16))) sg_window;

#endif
