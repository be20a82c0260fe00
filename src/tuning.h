/* Every number that was chosen by measurement rather than by necessity: unit and reason. The measurements are those of
 * build/bench/bench_tuning, whose tables stand in bench/README.md; numbers that a table has no column for were found by
 * editing them here and running it again. */
#ifndef SG_TUNING_H
#define SG_TUNING_H

/* --- how sets are held --- */

/* A list entry takes 8 bytes, a bit vector limit/8 bytes: equal at one member in 64. Also the density at which shifting
 * S by cold positions beats the reverse (one word step marks 64 heap sizes). Derived. */
#define SG_LIST_DENSITY_INVERSE 64

/* Members. Longer lists than this (32 MiB) leave every cache, and counting further would make planning slow. */
#define SG_LIST_MAX_MEMBERS ((uint64_t)1 << 22)

/* --- operators --- */

/* Bits of a target segment: the accumulator of a shifted OR, eight 512-bit vectors: its loads hide the latency of one
 * another and its cost is spread over eight vectors of work a shift. */
#define SG_SEGMENT_BITS 4096

/* Shifts between two looks at whether a segment is all hot: long enough to make the look free, short enough to stop
 * early. */
#define SG_EARLY_EXIT_SHIFTS 64

/* Cold positions. A list of 2^20 takes 4 MiB: within the second and third level caches, long enough to make passes over
 * the target rare. */
#define SG_COLD_LIST_MAX ((uint64_t)1 << 20)

/* Columns of the first range of cold positions that marks a dense game's target; four times as many in each next one.
 */
#define SG_FIRST_RANGE_COLUMNS ((uint64_t)512)

/* Heap sizes of a node's source block from which threads share it: some 300 us of work for squares. Shorter nodes gain
 * little on an idle machine and lose much on a busy one, where each fork may wait for a time slice. */
#define SG_PARALLEL_NODE_POS ((uint64_t)1 << 20)

/* Work items a thread: enough that a slow one does not keep the others waiting, few enough that each starts its windows
 * seldom. */
#define SG_ITEMS_PER_THREAD 8

/* Columns. Longer blocks are convolved in pieces of this size, whose transforms are made anew each time: what is stored
 * and worked on stays at 16 bytes for each. */
#define SG_CONVOLVE_MAX_PIECE ((uint64_t)1 << 29)

/* The same in double precision, which is for the few nodes where single precision will not do. */
#define SG_CONVOLVE_MAX_DOUBLE_PIECE ((uint64_t)1 << 22)

/* Bytes of the transform of the longest pieces from which the stored transforms of that level and of the lower ones
 * take turns in memory: making them twice costs less than touching so much memory that is new. */
#define SG_CONVOLVE_TURNS_BYTES ((uint64_t)1 << 26)

/* Points. Below it, waking threads costs more than a share of the transform saves. */
#define SG_TRANSFORM_PARALLEL_POINTS ((uint64_t)1 << 17)

/* Bytes of a block of a transform that is worked on depth first, within the second-level cache. */
#define SG_TRANSFORM_BLOCK_BYTES ((uint64_t)1 << 20)

/* Groups of 64 bytes of each part that a pass combines, between two looks at whether to go on: a millisecond. */
#define SG_TRANSFORM_SHARE_GROUPS ((uint64_t)1 << 12)

/* Cold positions a 512-bit vector of a source row. From here on the row is shifted as a whole (one load and OR a vector
 * and member), below it is scattered (one read-modify-write a cold position and member). */
#define SG_SHIFT_OR_COLD_PER_VECTOR 0.3

/* --- cost model, nanoseconds on one core of a 2024 server processor with AVX-512 --- */

/* One shift of one 4096-bit segment. */
#define SG_SEGMENT_SHIFT_NS 5.0

/* A transform of N points costs this times N * log2(N), single precision, AVX-512. */
#define SG_TRANSFORM_NS_PER_POINT_LOG2 0.06

/* One point of a product of two transforms, memory bound. */
#define SG_PRODUCT_NS_PER_POINT 0.5

/* Tables and memory of convolutions, however short. */
#define SG_CONVOLVE_OPEN_NS 2e5

/* Taking up one source row for one segment: eight groups whose windows are moved. */
#define SG_PAIR_VISIT_NS 25.0

/* Looking whether a segment is already all hot. */
#define SG_SEGMENT_LOOK_NS 5.0

/* One scattered mark. */
#define SG_SCATTER_NS 1.2

/* Fetching, storing and emitting one heap size of a base case. */
#define SG_LEAF_HEAP_NS 0.1

/* Moving one cold heap size of a base case out of the rows and back into them; with one row this is a copy. */
#define SG_LEAF_REORDER_NS 20.0

/* One far option of the nim tiles: one-hot accumulators in registers below 512 values, bit sets past that: in the
 * first-level cache while the 16 of a tile take 32 KiB, beyond it from there on. */
#define SG_TILE_ONE_HOT_NS  0.45
#define SG_TILE_BITS_NS     1.3
#define SG_TILE_FAR_BITS_NS 4.5
#define SG_TILE_L1_VALUES   16384

/* One heap size of the nim tiles: its near options and its mex. */
#define SG_TILE_HEAP_NS 40.0

/* --- the planner --- */

/* Heap sizes of the outcome pilot: enough cold positions of squares (3700) to see classes mod 65 and a few milliseconds
 * even for dense sets. Games no longer than this are solved on one row without a pilot. */
#define SG_PILOT_POS ((uint64_t)1 << 17)

/* Heap sizes of the pilot for nim-values and remoteness: some 30 ms for the densest sets. */
#define SG_PILOT_VALUE_POS ((uint64_t)1 << 13)

/* Heap sizes of a level that the pilot must have seen for each row: with 8 expected, an empty row is rarely chance. */
#define SG_PILOT_HEAPS_PER_ROW 8

/* Growth is foreseen from two points, so the width gets a margin; too narrow a guess costs a widening, not a wrong
 * value. */
#define SG_PILOT_VALUE_MARGIN 1.5

/* Levels of nim-values that share a recursion, where batches pay: past this many, each further one costs memory and
 * brings a device no more work at once than it has. */
#define SG_MAX_LEVEL_BATCH ((uint64_t)32)

/* Columns that rows must at least have: shorter ones are all padding and overhead. */
#define SG_MIN_COLUMNS ((uint64_t)1 << 13)

/* --- engines --- */

/* Heap sizes of a base case: a sparse set's marks stay within the first-level cache (8 KiB); a dense set's cost a cold
 * position grows with the block; a forced convolution of shorter blocks would be all overhead. */
#define SG_LEAF_SPARSE_POS   ((uint64_t)1 << 16)
#define SG_LEAF_DENSE_POS    ((uint64_t)1 << 12)
#define SG_LEAF_CONVOLVE_POS ((uint64_t)1 << 13)

/* The same where a device does the nodes: each base case also costs a round trip of some 30 us over the bus. Not yet
 * measured on a device: the sparse one comes from squares at 2^34, where a base case of 2^18 takes the CPU some 50 us.
 */
#define SG_DEVICE_LEAF_SPARSE_POS   ((uint64_t)1 << 18)
#define SG_DEVICE_LEAF_DENSE_POS    ((uint64_t)1 << 13)
#define SG_DEVICE_LEAF_CONVOLVE_POS ((uint64_t)1 << 14)

/* What a device is expected to do, by the budgets in bench/README.md, until one is measured: far options of nim-values
 * a second, and nanoseconds a heap size of their base cases; and how much faster than one CPU core the recursion is on
 * it, whose base cases remain the CPU's. */
#define SG_DEVICE_TILE_OPTIONS_PER_SECOND 1.5e12
#define SG_DEVICE_TILE_HEAP_NS            18.0
#define SG_DEVICE_RECURSION_GAIN          10.0

/* Heap sizes of a base case of nim-values on a device, at the most: the host may be asked to solve it, and looks up all
 * members below it for each. */
#define SG_DEVICE_NIM_LEAF_MOST ((uint64_t)1 << 16)

/* Base cases of a game that was asked to run on a device: with fewer it would be the CPU's alone. */
#define SG_DEVICE_LEAST_LEAVES 16

/* Heap sizes from which `auto` looks for a device: below, opening one (some tenths of a second) takes longer than the
 * CPU's solve. */
#define SG_DEVICE_LEAST_POS ((uint64_t)1 << 26)

/* Seconds that tiles must be foreseen to take on the CPU, for the same reason. */
#define SG_DEVICE_LEAST_SECONDS 1.0

/* Bytes of the sets of one block of the nim tiles, within the second-level cache: 8192 heap sizes while values are
 * below 512. Threads share a block's far options, so longer blocks wake them less often. */
#define SG_TILE_SETS_BYTES ((uint64_t)512 << 10)

/* Heap sizes of a strip, within which options are entered one by one: for squares 16 to 22 of them a heap size. */
#define SG_TILE_STRIP_POS ((uint64_t)256)

/* Options of a block below which threads do not pay: a millisecond of work, so that waking them is cheap even on a busy
 * machine. */
#define SG_TILE_PARALLEL_OPTIONS ((uint64_t)5 << 19)

/* Heap sizes of a segment of the sieve: 2^22 bits are 512 KiB, within the second-level cache. The paper's baseline. */
#define SG_SIEVE_SEGMENT_POS ((uint64_t)1 << 22)

#endif
