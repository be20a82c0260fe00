/* What is known of the values of a heap size's options: a run of values, from the least one on that may be missing. For
 * device code too. */
#ifndef SG_NIM_WINDOW_H
#define SG_NIM_WINDOW_H

#include <stdint.h>

enum { SG_WINDOW_WORDS = 3, SG_WINDOW_VALUES = 32 * SG_WINDOW_WORDS };

/* 16 bytes: one access of a lane. */
typedef struct sg_window {
    uint32_t base;                  /* every smaller value is an option's */
    uint32_t seen[SG_WINDOW_WORDS]; /* bit i of word w: value base + 32 w + i is an option's */
} sg_window;

#endif
