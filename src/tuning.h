/* Every number that was chosen by measurement rather than by necessity: unit, reason, and how it was found. */
#ifndef SG_TUNING_H
#define SG_TUNING_H

/* --- how sets are held --- */

/* A list entry takes 8 bytes, a bit vector limit/8 bytes: equal at one member in 64. Also the density at which shifting S by
 * cold positions beats the reverse (one word step marks 64 heap sizes). Derived. */
#define SG_LIST_DENSITY_INVERSE 64

/* Members. Longer lists than this (32 MiB) leave every cache, and counting further would make planning slow. */
#define SG_LIST_MAX_MEMBERS ((uint64_t)1 << 22)

/* --- operators --- */

/* Bits of a target segment: the accumulator of a shifted OR, eight 512-bit vectors: its loads hide the latency of one another and its cost
 * is spread over eight vectors of work a shift. bench: build/bench/bench_operators shift_or. */
#define SG_SEGMENT_BITS 4096

/* Shifts between two looks at whether a segment is all hot: long enough to make the look free, short enough to stop early. */
#define SG_EARLY_EXIT_SHIFTS 64

#endif
