/* Every number of the CUDA backend that was chosen rather than given: unit and reason. None has been measured on a
 * device yet; bench/device_check.sh is to do that. The emulated build of the tests sets smaller ones, so that its small
 * cases take every path. */
#ifndef SG_CUDA_TUNING_H
#define SG_CUDA_TUNING_H

/* Threads of a block of most kernels: eight warps, of which every device since 8.0 holds at least six blocks. */
#define SG_CUDA_BLOCK_THREADS 256

/* Blocks of it that a multiprocessor must hold at the least, for the compiler's choice of registers: 24 warps of 80
 * registers. Shifted ORs and products spill at four blocks, and leave memory idle at two. */
#define SG_CUDA_BLOCKS_LEAST 3

/* Words that a lane of a shifted OR holds, for wide tiles: eight loads in flight a shift, one extra load and one list
 * entry spread over them. Narrow tiles hold one. */
#define SG_CUDA_WIDE_WORDS 8

/* Warps a multiprocessor from which tiles are wide: fewer would leave schedulers idle, so such nodes get narrow tiles.
 */
#ifndef SG_CUDA_WIDE_WARPS
#define SG_CUDA_WIDE_WARPS 16
#endif

/* Shifts of a tile between two looks at whether it is all hot. */
#define SG_CUDA_LOOK_SHIFTS 32

/* Blocks a multiprocessor that a scatter aims at when it cuts the target into segments. */
#define SG_CUDA_SCATTER_BLOCKS 2

/* Words of the shortest segment: below it, clearing and merging it would cost more than the marks. */
#define SG_CUDA_SEGMENT_LEAST_WORDS 256

/* Cold positions that are listed at once: 16 MiB of device memory. */
#ifndef SG_CUDA_LIST_MAX
#define SG_CUDA_LIST_MAX ((uint64_t)1 << 22)
#endif

/* Columns of the first range of cold positions that marks a dense game's target, and how many times longer each next
 * one is: with most games the first one leaves nothing to do. */
#define SG_CUDA_FIRST_RANGE_COLUMNS ((uint64_t)4096)
#define SG_CUDA_RANGE_GROWTH        16

/* log2 of columns. A node is cut into 2^RADIX pieces, so that a small one still is a batch of transforms; pieces are no
 * shorter than LEAST, below which launching costs more than computing, and no longer than MOST, where a transform makes
 * three passes over device memory. */
#ifndef SG_CUDA_PIECE_RADIX_LOG2
#define SG_CUDA_PIECE_RADIX_LOG2 2
#endif
#ifndef SG_CUDA_PIECE_LEAST_LOG2
#define SG_CUDA_PIECE_LEAST_LOG2 12
#endif
#ifndef SG_CUDA_PIECE_MOST_LOG2
#define SG_CUDA_PIECE_MOST_LOG2 24
#endif

/* Points that one execution of a plan transforms: bounds the shared work area to 1 GiB. */
#ifndef SG_CUDA_BATCH_POINTS
#define SG_CUDA_BATCH_POINTS ((uint64_t)1 << 26)
#endif

/* Points of the sources of one convolution; levels are convolved in groups that stay below: enough to fill a device. */
#ifndef SG_CUDA_GROUP_POINTS
#define SG_CUDA_GROUP_POINTS ((uint64_t)1 << 27)
#endif

/* --- nim-values --- */

/* Heap sizes of a tile of far options: threads of its block. Few, so that tiles fill the shared memory of a
 * multiprocessor well; every tile looks up its members. */
#ifndef SG_CUDA_NIM_TILE_POS
#define SG_CUDA_NIM_TILE_POS 128
#endif

/* Blocks of a tile that a multiprocessor must be able to hold by its registers, and as many as are used: 32 warps of 64
 * registers. With SG_CUDA_NIM_UNROLL loads in flight a lane, these are 32 KiB in flight, what memory needs to be busy;
 * past some 1400 values shared memory holds fewer. */
#define SG_CUDA_NIM_BLOCKS_LEAST 8

/* Loads in flight a lane: a multiple of 4. */
#define SG_CUDA_NIM_UNROLL 16

/* Words of a lane's set of seen values, at the most. By default as many as the shared memory of a block holds. */
#ifndef SG_CUDA_NIM_SET_MOST_WORDS
#define SG_CUDA_NIM_SET_MOST_WORDS UINT32_MAX
#endif

/* Lanes a multiprocessor, at the most: what memory for windows is planned for. */
#define SG_CUDA_NIM_LANES_MOST ((uint64_t)2048)

/* Heap sizes that are guessed together in a base case: threads of its one block. */
#ifndef SG_CUDA_NIM_STRIP_POS
#define SG_CUDA_NIM_STRIP_POS 256
#endif

/* Shared memory of each multiprocessor that far options leave to the base case that runs beside them: its guesses, and
 * what the system takes a block. */
#define SG_CUDA_NIM_NEAR_SHARED_BYTES ((uint64_t)4 << 10)

/* Heap sizes of a base case: a launch (some 4 us) costs a nanosecond a heap size then; squares have 64 members below
 * it. */
#ifndef SG_CUDA_NIM_LEAF_POS
#define SG_CUDA_NIM_LEAF_POS ((uint64_t)4096)
#endif

/* Heap sizes that a kernel on finished values handles at a time. */
#ifndef SG_CUDA_VALUES_CHUNK
#define SG_CUDA_VALUES_CHUNK ((uint64_t)1 << 26)
#endif

/* Blocks a multiprocessor that tally values, and values that they tally in one pass: 16 KiB of shared memory. */
#define SG_CUDA_TALLY_BLOCKS ((uint64_t)8)
#ifndef SG_CUDA_TALLY_VALUES
#define SG_CUDA_TALLY_VALUES ((uint64_t)4096)
#endif

/* What an option costs a warp of far options: accesses of the first-level cache and shared memory, one a clock (one and
 * a half lines for a run of sources that begins anywhere, the word of the set twice, a quarter of an access for the
 * step), and instructions, four a clock; and of a node's options, instructions. scripts/kernel_loops.py counts those of
 * PTX, which are somewhat more. bench/README.md has the budget. */
#define SG_CUDA_NIM_FAR_ACCESSES       3.75
#define SG_CUDA_NIM_FAR_INSTRUCTIONS   12.5
#define SG_CUDA_NIM_CROSS_INSTRUCTIONS 35.0

/* --- everything --- */

/* Bytes of device memory for what CUDA and cuFFT take by themselves: kernels, plans, and the rounding of allocations.
 */
#ifndef SG_CUDA_RESERVE_BYTES
#define SG_CUDA_RESERVE_BYTES ((uint64_t)256 << 20)
#endif

/* Bytes for Thrust's temporary storage in a scan: 64 bytes for each 1024 items, and a little. */
#define SG_CUDA_SCAN_BYTES(items) ((items) / 16 + (64 << 10))

/* Operator calls that may wait to have their times read. */
#ifndef SG_CUDA_TIMERS
#define SG_CUDA_TIMERS 64
#endif

/* Uploads (cold bits of base cases, parameters of nodes) that may wait for the device to take them. */
#define SG_CUDA_UPLOADS 8

#endif
