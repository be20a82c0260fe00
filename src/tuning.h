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

/* Columns of a source row that are shifted to all segments of a target row before the next ones: 32 KiB, most of the
 * first-level cache. */
#define SG_SOURCE_PIECE_COLUMNS ((uint64_t)1 << 18)

/* Rows from which blocks change their layout by transposed tiles of 64 rows: fewer leave most of a tile empty. */
#define SG_TRANSPOSE_LEAST_ROWS ((uint64_t)32)

/* Shifts between two looks at whether a segment is all hot: long enough to make the look free, short enough to stop
 * early. */
#define SG_EARLY_EXIT_SHIFTS 64

/* Cold positions. A list of 2^20 takes 4 MiB: within the second and third level caches, long enough to make passes over
 * the target rare. */
#define SG_COLD_LIST_MAX   ((uint64_t)1 << 20)
#define SG_COLD_LIST_SHARE ((uint64_t)16) /* of the heap sizes */

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

/* Vector operations that take as long as one marking step: base cases of sets with so few members go by list. */
#define SG_VECTORS_PER_MARK 2

/* --- cost model: nanoseconds are in costs.h --- */

/* --- the planner --- */

/* Heap sizes of the outcome pilot: enough cold positions of squares (3700) to see classes mod 65 and a few milliseconds
 * even for dense sets. Games no longer than this are solved on one row without a pilot. */
#define SG_PILOT_POS ((uint64_t)1 << 17)

/* Games that are this many times longer than it get a longer pilot, so long that it takes about 1% of the solve; one of
 * 2^24 sees squares' classes mod 8125. */
#define SG_PILOT_SHARE    ((uint64_t)1 << 8)
#define SG_PILOT_MOST_POS ((uint64_t)1 << 24)

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

/* Columns that rows must at least have to be priced: shorter ones were never best, and pricing must not take longer
 * than a short solve. */
#define SG_MIN_COLUMNS ((uint64_t)1 << 15)

/* --- engines --- */

/* Heap sizes of a base case: a sparse set's marks stay within the first-level cache (8 KiB); a dense set's cost a cold
 * position grows with the block; a forced convolution of shorter blocks would be all overhead. */
#define SG_LEAF_SPARSE_POS   ((uint64_t)1 << 16)
#define SG_LEAF_DENSE_POS    ((uint64_t)1 << 12)
#define SG_LEAF_CONVOLVE_POS ((uint64_t)1 << 13)

/* Where the planner chooses, base cases have between so many and so many heap sizes: from vectors to the first-level
 * cache. */
#define SG_LEAF_LEAST_POS ((uint64_t)1 << 11)
#define SG_LEAF_MOST_POS  ((uint64_t)1 << 18)

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
 * below 511. Threads share a block's far options, so longer blocks wake them less often. */
#define SG_TILE_SETS_BYTES ((uint64_t)512 << 10)

/* Tiles of a block, however large their sets are: work for several threads. */
#define SG_TILE_LEAST_TILES 8

/* Words of 64 values of a heap size's set up to which sets are sliced at the most: their cost a word then passes that
 * of flat ones, at 12 words with AVX-512 and 7 with AVX2, and room grows by doubling. */
#define SG_TILE_SLICED_WORDS 16

/* Spans of a block for each thread, which take each batch of members through their tiles in turn: long ones start new
 * source lines seldom, several even out what threads get done. */
#define SG_TILE_SPANS_PER_THREAD 2

/* Members of a batch: their source lines stay in the first-level cache from one tile to the next. */
#define SG_TILE_BATCH ((size_t)64)

/* Bytes ahead of its turn that a source line is asked for: some microsecond, as memory takes on a busy machine. */
#define SG_TILE_AHEAD_BYTES 256

/* Nanoseconds that a block's far options take, below which threads do not pay: many times what it takes to wake them.
 */
#define SG_TILE_PARALLEL_NS 3e5

/* Heap sizes of a segment of the sieve: 2^22 bits are 512 KiB, within the second-level cache. The paper's baseline. */
#define SG_SIEVE_SEGMENT_POS ((uint64_t)1 << 22)

#endif
