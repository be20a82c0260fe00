/* subgame - evaluation of impartial subtraction games.
 *
 * A subtraction game is played on a heap of `p` tokens; a move takes `s` tokens, where s is a member of the subtraction
 * set S and s <= p. Under normal play the player who cannot move loses, under misere play that player wins.
 * This library computes, for every heap size p in 0 .. n-1, the outcome (cold or hot), the nim-value or the remoteness.
 *
 *   cold  P-position: the previous player wins; every option is hot
 *   hot   N-position: the next player wins; some option is cold
 *
 * Thread rule: objects carry no hidden shared state. One sg_context serves one thread at a time; a finished sg_result
 * and an unchanging sg_game may be read by any number of threads at once. A solve runs its own threads
 * (sg_solve_options.threads), from the OpenMP runtime: on a machine that has other work to do, start the program with
 * OMP_WAIT_POLICY=passive in its environment, or idle threads spin and steps that wait for them take several times
 * longer.
 *
 * Error rule: a function that can fail returns sg_status. When it was given a context, sg_last_error(context) then says
 * in words what was wrong, naming the offending token or both of the numbers that do not fit. Output parameters are
 * written only on SG_OK. NULL for a required pointer is SG_ERROR_INVALID_ARGUMENT. The library never prints, exits or
 * aborts.
 *
 * Sources: D. Eppstein, Faster evaluation of subtraction games, FUN 2018 ("the paper" below); T. S. Ferguson, for g(p)
 * = 1.
 */
#ifndef SUBGAME_H
#define SUBGAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(SG_API)
#define SG_API __attribute__((visibility("default")))
#elif !defined(SG_API)
#define SG_API
#endif

#define SG_VERSION_MAJOR 0
#define SG_VERSION_MINOR 1
#define SG_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH" of the library that is linked, which may be newer than the header. Static storage. */
SG_API const char *sg_version(void);

/* ---------------------------------------------------------------- status */

/* The values are pinned: they never change meaning between versions. */
typedef enum sg_status {
    SG_OK = 0,
    SG_ERROR_INVALID_ARGUMENT = 1, /* NULL, out of range, or a combination that has no meaning */
    SG_ERROR_PARSE = 2,            /* a number or a set specification that cannot be read */
    SG_ERROR_UNSUPPORTED = 3,      /* the engine cannot serve the mode, or the build lacks what it needs */
    SG_ERROR_MEMORY_LIMIT = 4,     /* refused before allocation: more than the limit or the machine has */
    SG_ERROR_OUT_OF_MEMORY = 5,    /* the system would not give memory that was within the limit */
    SG_ERROR_IO = 6,               /* a file that cannot be read */
    SG_ERROR_CANCELLED = 7,        /* the progress callback asked to stop */
    SG_ERROR_OVERFLOW = 8,         /* a number past 2^64 - 1, or a value past 2^32 - 1 */
    SG_ERROR_BACKEND = 9,          /* the requested backend or device cannot be used */
    SG_ERROR_INTERNAL = 10         /* a fault of ours */
} sg_status;

/* A short lower-case name such as "memory limit". Static storage; never NULL, also for values that are not in the enum.
 */
SG_API const char *sg_status_name(sg_status status);

/* ---------------------------------------------------------------- context */

typedef struct sg_context sg_context;

/* Creates a context, which holds the text of the last error. The caller owns it. Fails with SG_ERROR_OUT_OF_MEMORY
 * only. */
SG_API sg_status sg_context_create(sg_context **context);

/* Destroys a context; NULL is allowed. Games and results made with it stay valid. */
SG_API void sg_context_destroy(sg_context *context);

/* What the last failed call with this context had to say, one line without a full stop or newline; "" when none failed.
 * The text belongs to the context and holds until its next failing call. */
SG_API const char *sg_last_error(const sg_context *context);

/* ---------------------------------------------------------------- numbers */

/* Reads an exact unsigned 64-bit number from the whole of `text`: decimal digits with optional single underscores
 * between digits, scientific notation with an exact integer value (1e9, 2.5e3), powers and products: 2^34, 10^9,
 * 3*2^20, 2^20+7, 2^64-1.
 * '^' binds closer than '*', '*' closer than '+' and '-'; '^' is right associative; 0^0 is 1; blanks are allowed around
 * operators. SG_ERROR_PARSE names the bad token; SG_ERROR_OVERFLOW is returned when the value is past 2^64 - 1, or an
 * intermediate value is negative or past 2^128 - 1. */
SG_API sg_status sg_parse_number(sg_context *context, const char *text, uint64_t *value);

/* ---------------------------------------------------------------- games */

/* A subtraction set, a hotspot set and a play convention. */
typedef struct sg_game sg_game;

/* Creates a game from a specification of its subtraction set; normal play, no hotspots. The caller owns it.
 *
 *   squares cubes powers:K       k^2, k^3, k^K for k >= 1 (K >= 1)
 *   powers-of:B                  1, B, B^2, ... (B >= 2)
 *   triangular fibonacci primes moser all
 *   {2,4,7}                      the numbers listed; each follows the number grammar; duplicates count once
 *   allbut{2,5}                  every positive integer except those listed
 *   additive{5,12}               {a, b, a+b}
 *   poly:k^2+k                   values of the polynomial at k = 1, 2, 3, ...; positive ones are kept
 *   beatty:phi                   floor(k*alpha), k >= 1, alpha >= 1: phi, sqrt2, e, p/q or a decimal
 *   random{SEED,P/Q}             k >= 1 belongs when splitmix64(k + SEED) >> 32 < floor(2^32 * P / Q)
 *   file:PATH                    numbers separated by blanks, commas or newlines; '#' starts a comment
 *
 * Fails with SG_ERROR_PARSE (malformed, empty, or a zero or negative member; the token is named), SG_ERROR_OVERFLOW, or
 * SG_ERROR_IO. */
SG_API sg_status sg_game_create(sg_context *context, const char *set_spec, sg_game **game);

/* Creates a game from `count` members in any order; duplicates count once; the array is copied. Zero members and the
 * member 0 are SG_ERROR_INVALID_ARGUMENT. */
SG_API sg_status sg_game_create_from_members(sg_context *context, const uint64_t *members, size_t count,
                                             sg_game **game);

/* Gives the member with the given index (0, 1, 2, ...) of a set in strictly increasing order and returns true, or
 * returns false when the set has no more members. Called again from index 0 at every solve, on the thread that called
 * the library. */
typedef bool (*sg_member_fn)(void *user, uint64_t index, uint64_t *member);

/* Creates a game whose set is enumerated by a callback; `name` (copied) stands in reports. `user` must outlive the
 * game. A callback that breaks the order or yields 0 makes the solve fail with SG_ERROR_INVALID_ARGUMENT. */
SG_API sg_status sg_game_create_from_callback(sg_context *context, const char *name, sg_member_fn next_member,
                                              void *user, sg_game **game);

/* Destroys a game; NULL is allowed. Results stay valid. */
SG_API void sg_game_destroy(sg_game *game);

/* Sets the hotspots H: heap sizes that are hot by decree (moving onto one loses at once). `spec` is a set specification
 * in which 0 is allowed; NULL removes all hotspots. Section 2 of the paper. */
SG_API sg_status sg_game_set_hotspots(sg_context *context, sg_game *game, const char *spec);

/* The same from `count` heap sizes in any order, copied; count 0 removes all hotspots. */
SG_API sg_status sg_game_set_hotspots_from_members(sg_context *context, sg_game *game, const uint64_t *members,
                                                   size_t count);

typedef enum sg_play {
    SG_PLAY_NORMAL = 0, /* who cannot move loses */
    SG_PLAY_MISERE = 1  /* who cannot move wins */
} sg_play;

/* Sets the play convention. Misere play together with hotspots is refused when the game is solved. */
SG_API sg_status sg_game_set_play(sg_context *context, sg_game *game, sg_play play);

/* The subtraction set in canonical spelling, e.g. "{2,4,7}"; belongs to the game. */
SG_API const char *sg_game_set_name(const sg_game *game);

/* The hotspot set in canonical spelling, or NULL when there is none; belongs to the game. */
SG_API const char *sg_game_hotspots_name(const sg_game *game);

SG_API sg_play sg_game_play(const sg_game *game);

/* Whether `s` is a member of the subtraction set. Costs an enumeration of the members up to s. */
SG_API sg_status sg_game_has_member(sg_context *context, const sg_game *game, uint64_t s, bool *is_member);

/* Writes the members s < limit in increasing order to members[0 .. capacity-1], as many as fit, and how many there are
 * in all to *count. `members` may be NULL when capacity is 0. */
SG_API sg_status sg_game_members(sg_context *context, const sg_game *game, uint64_t limit, uint64_t *members,
                                 size_t capacity, uint64_t *count);

/* ---------------------------------------------------------------- devices */

typedef enum sg_backend { SG_BACKEND_AUTO = 0, SG_BACKEND_CPU = 1, SG_BACKEND_CUDA = 2 } sg_backend;

/* What a solve can run on. */
typedef struct sg_device_info {
    size_t struct_size; /* set by the caller to sizeof(sg_device_info) */
    char name[128];
    uint64_t memory_bytes;     /* in all */
    uint64_t free_bytes;       /* available now */
    uint32_t capability_major; /* compute capability of a CUDA device; 0 for the CPU */
    uint32_t capability_minor;
    uint32_t processors; /* multiprocessors of a CUDA device; hardware threads of the CPU */
} sg_device_info;

/* How many devices a backend can use: 1 for the CPU. SG_ERROR_BACKEND when there is none, with the reason: the module
 * libsubgame_cuda.so, the driver or a device is missing. SG_ERROR_INVALID_ARGUMENT for SG_BACKEND_AUTO. The module is
 * sought beside the library or program that holds this code, in its ../lib, and where the system's loader looks; the
 * environment variable SUBGAME_CUDA_MODULE names another file. */
SG_API sg_status sg_device_count(sg_context *context, sg_backend backend, uint32_t *count);

/* Describes device `index` < count. SG_ERROR_BACKEND when there is no such device. */
SG_API sg_status sg_device_get_info(sg_context *context, sg_backend backend, uint32_t index, sg_device_info *info);

/* ---------------------------------------------------------------- solving */

typedef enum sg_mode {
    SG_MODE_COLD = 0,      /* outcomes: which heap sizes are cold */
    SG_MODE_NIM = 1,       /* nim-values; normal play without hotspots only */
    SG_MODE_REMOTENESS = 2 /* length of the game when the winner hurries and the loser delays; 0 where no move is left,
                              and for hotspots */
} sg_mode;

typedef enum sg_engine {
    SG_ENGINE_AUTO = 0,  /* the planner's choice */
    SG_ENGINE_DP = 1,    /* the plain recurrence; every mode */
    SG_ENGINE_TILE = 2,  /* tile dynamic programming, on a device by blocks of tiles; nim */
    SG_ENGINE_SIEVE = 3, /* the paper's section 4, segmented; cold */
    SG_ENGINE_SPLIT = 4, /* the recursion without Fourier transforms; cold, and nim by levels */
    SG_ENGINE_CONVOLUTION =
        5,                  /* the recursion, every node above the base threshold convolves; cold, and nim by levels */
    SG_ENGINE_STRUCTURE = 6 /* periods and closed forms; cold and nim */
} sg_engine;

/* Lower-case names as on the command line, e.g. "convolution"; static storage; NULL for values that are not in the
 * enum. */
SG_API const char *sg_mode_name(sg_mode mode);
SG_API const char *sg_engine_name(sg_engine engine);
SG_API const char *sg_backend_name(sg_backend backend);

/* Who decides the base cases of nim-values by tiles on a device: their values depend on one another, so that no device
 * does them all at once. */
typedef enum sg_near {
    SG_NEAR_AUTO = 0, /* whoever is faster at the first ones */
    SG_NEAR_CPU = 1,
    SG_NEAR_CUDA = 2
} sg_near;

SG_API const char *sg_near_name(sg_near near);

typedef struct sg_progress {
    double fraction;    /* of the work, 0 .. 1, never falling within a solve */
    uint64_t done_pos;  /* heap sizes decided */
    uint64_t total_pos; /* heap sizes asked for */
    const char *phase;  /* "set", "solve", "verify" or "calibrate", which has no heap sizes; static storage */
} sg_progress;

/* Called on the thread that called the library, at most some 20 times a second. Returning false cancels: the call then
 * fails with SG_ERROR_CANCELLED. */
typedef bool (*sg_progress_fn)(void *user, const sg_progress *progress);

/* Options of a solve. Initialise with sg_solve_options_init, then change fields; 0 always means "choose for me". */
typedef struct sg_solve_options {
    size_t struct_size; /* sizeof(sg_solve_options), set by the init function; lets the struct grow */
    sg_engine engine;
    sg_backend backend;
    uint32_t device;             /* index of the CUDA device */
    uint32_t threads;            /* 0: one per available processor; at most 1024 */
    uint64_t memory_limit_bytes; /* 0: what the machine, and the device, have available; else a limit for each */
    uint64_t base_threshold_pos; /* recursion: blocks of at most this many heap sizes are solved directly; 1 is the
                                    paper's algorithm as written, more than 2^30 counts as 2^30; so do base cases of
                                    nim-values by tiles on a device, where more than 65536 counts as 65536 */
    uint64_t rows; /* recursion: the number M of residue rows, at most 65536; 1 is the paper's single bit vector */
    sg_progress_fn progress; /* NULL: none */
    void *progress_user;
    uint32_t level_batch; /* nim-values by levels: how many levels share one recursion, at most 65536; 1 is one outcome
                             solve after another */
    sg_near near;         /* nim-values by tiles on a device */
} sg_solve_options;

SG_API void sg_solve_options_init(sg_solve_options *options);

/* What a solve would do and need, before anything large is allocated. */
typedef struct sg_estimate {
    size_t struct_size; /* set by the caller to sizeof(sg_estimate) */
    sg_engine engine;   /* the engine that would run */
    sg_backend backend;
    uint64_t rows; /* recursion only, else 0 */
    uint64_t base_threshold_pos;
    uint64_t bytes;              /* peak memory */
    uint64_t limit_bytes;        /* what there is: memory_limit_bytes or what the machine has available */
    uint64_t largest_n;          /* the largest n that fits limit_bytes, by the same formula */
    double seconds;              /* by the cost model; 0 where there was nothing to choose */
    uint64_t device_bytes;       /* device memory at its peak; 0 on the CPU */
    uint64_t device_limit_bytes; /* what there is of it: free memory, or memory_limit_bytes when less; 0 on the CPU */
} sg_estimate;

/* Fills `estimate` for the given solve; `options` may be NULL for the defaults. Fails as sg_solve does, except that
 * need beyond the limit is reported in the estimate and not an error. */
SG_API sg_status sg_solve_estimate(sg_context *context, const sg_game *game, sg_mode mode, uint64_t n,
                                   const sg_solve_options *options, sg_estimate *estimate);

typedef struct sg_result sg_result;

/* Solves the game for heap sizes 0 .. n-1. `options` may be NULL for the defaults. The caller owns the result. n = 0
 * gives an empty result. Every engine, backend, thread count, threshold and number of rows gives the same bits.
 *
 * SG_ERROR_UNSUPPORTED: the engine cannot serve the mode; hotspots with nim-values (undefined there) or with misere
 * play; misere play with nim-values (they do not depend on the convention). SG_ERROR_MEMORY_LIMIT: the estimate does
 * not fit; the text has both numbers and the largest n that would. SG_ERROR_CANCELLED, SG_ERROR_OUT_OF_MEMORY,
 * SG_ERROR_BACKEND.
 *
 * Cost: cold positions by theorem 1 of the paper or by the cheapest operators of the recursion; nim-values by tiles or
 * by theorem 3. */
SG_API sg_status sg_solve(sg_context *context, const sg_game *game, sg_mode mode, uint64_t n,
                          const sg_solve_options *options, sg_result **result);

/* Destroys a result; NULL is allowed. Nim-values that a device computed by tiles stay on that device, and take its
 * memory, until then: functions on results bring from there what they are asked for, and return SG_ERROR_BACKEND when
 * that fails. */
SG_API void sg_result_destroy(sg_result *result);

/* ---------------------------------------------------------------- results */

/* A layout of the recursion inside another one, which solves the blocks that are the outer one's base cases. */
typedef struct sg_inner_layer {
    uint64_t rows;      /* M */
    uint64_t block_pos; /* such blocks have at most this many heap sizes */
} sg_inner_layer;

enum { SG_MAX_INNER_LAYERS = 3 };

/* What ran, and what it found. */
typedef struct sg_result_info {
    size_t struct_size; /* set by the caller to sizeof(sg_result_info) */
    sg_mode mode;
    sg_engine engine; /* the one that ran; never SG_ENGINE_AUTO */
    sg_backend backend;
    const char *device;          /* processor or device; belongs to the result */
    const char *instruction_set; /* of the CPU kernels: "avx512", "avx2" or "portable"; static storage */
    uint32_t threads;
    uint64_t n;
    uint64_t rows;               /* recursion only, else 0; of the outermost layout */
    uint64_t base_threshold_pos; /* recursion (the innermost base cases), and nim-values by tiles on a device; else 0 */
    uint32_t value_bytes;        /* bytes that a value takes in memory: 1, 2 or 4; 0 for outcomes */
    uint64_t member_count;       /* members of S below n */
    uint64_t levels;             /* nim-values by levels: outcome solves made, else 0 */
    uint64_t option_count;       /* moves p -> p - s there are among these heap sizes; saturates at 2^64 - 1 */
    uint64_t shift_or_nodes;     /* recursion: nodes in which each operator did work */
    uint64_t scatter_nodes;
    uint64_t convolve_nodes;
    uint64_t convolve_float_nodes; /* of the convolve nodes, those done in single precision */
    uint64_t convolve_redone;      /* nodes done again in double precision by the guard */
    uint64_t cold_count;           /* cold heap sizes (nim-value 0) below n */
    uint64_t max_value;            /* largest nim-value or remoteness; 0 for outcomes and for n = 0 */
    uint64_t max_value_at;         /* the first heap size that has it */
    uint64_t estimated_bytes;      /* what the planner foresaw */
    uint64_t peak_bytes;           /* what the solve held at its peak, by its own account */
    double seconds_plan;           /* counting S, pilots and choosing a method */
    double seconds_set;            /* enumerating S and laying it out */
    double seconds_solve;
    double seconds_summary; /* counts and maxima */
    uint64_t level_batch;   /* nim-values by levels: how many levels shared one recursion, else 0 */
    const char *fallback;   /* why SG_BACKEND_AUTO could not use the CUDA module that is there; NULL when it could, had
                               no use for it, or there is none; belongs to the result */
    uint64_t device_estimated_bytes; /* device memory foreseen, and held at its peak; 0 on the CPU */
    uint64_t device_peak_bytes;
    uint64_t bytes_to_device; /* moved over the bus; 0 on the CPU */
    uint64_t bytes_from_device;
    sg_near near;         /* nim-values by tiles on a device: who decided most base cases, else SG_NEAR_AUTO */
    uint64_t inner_count; /* recursion: layouts inside the one that has `rows` rows, outer ones first */
    sg_inner_layer inner[SG_MAX_INNER_LAYERS];
} sg_result_info;

SG_API sg_status sg_result_get_info(const sg_result *result, sg_result_info *info);

/* What one kind of kernel did on the device during a solve. */
typedef struct sg_kernel_report {
    size_t struct_size;      /* set by the caller to sizeof(sg_kernel_report) */
    const char *name;        /* "shift_or", "scatter", ...; static storage */
    uint64_t calls;          /* launches, or groups of launches that are timed together */
    double seconds;          /* on the device, by its own events */
    uint64_t work;           /* units done */
    const char *unit;        /* of the work: "bytes" read, "marks", "points", "options", "heap sizes"; static storage */
    double limit_per_second; /* units a second that the device could do at the most, by its properties; 0: unknown */
} sg_kernel_report;

/* Writes the report of kernel kind `index` (0, 1, ...) and returns true; false past the last one, and always for solves
 * on the CPU. */
SG_API bool sg_result_kernel(const sg_result *result, size_t index, sg_kernel_report *report);

/* Writes nim-values (or remoteness, for that mode) of heap sizes first .. first+count-1. SG_ERROR_INVALID_ARGUMENT when
 * the range is not within 0 .. n or the result has another mode. Any number of threads may read. */
SG_API sg_status sg_result_nim(const sg_result *result, uint64_t first, size_t count, uint32_t *values);
SG_API sg_status sg_result_remoteness(const sg_result *result, uint64_t first, size_t count, uint32_t *values);

/* Writes the cold bits of heap sizes first .. first+count-1: bit i of byte i/8, lowest bit first, is set when first+i
 * is cold; (count+7)/8 bytes are written, padding bits zero. Every mode serves it. */
SG_API sg_status sg_result_cold_bits(const sg_result *result, uint64_t first, size_t count, uint8_t *bits);

/* Finds the smallest cold heap size >= from. Returns false when there is none below n. Every mode serves it. */
SG_API bool sg_result_next_cold(const sg_result *result, uint64_t from, uint64_t *heap);

/* Writes how many heap sizes have each value 0 .. capacity-1 (nim or remoteness). `counts` has room for `capacity`
 * entries; max_value + 1 of them are enough. */
SG_API sg_status sg_result_histogram(const sg_result *result, uint64_t *counts, size_t capacity);

/* Writes the first heap size that has each value 0 .. capacity-1; UINT64_MAX where no heap size below n has it. */
SG_API sg_status sg_result_first_heaps(const sg_result *result, uint64_t *heaps, size_t capacity);

/* The raw format: for outcomes the bit vector of cold positions, ceil(n/8) bytes; for values little-endian u16, or u32
 * throughout when any value is past 65535. sg_result_raw_value_bytes gives 0, 2 or 4; sg_result_raw_bytes the total
 * size. */
SG_API uint32_t sg_result_raw_value_bytes(const sg_result *result);
SG_API uint64_t sg_result_raw_bytes(const sg_result *result);

/* Writes bytes offset .. offset+count-1 of the raw format. */
SG_API sg_status sg_result_raw(const sg_result *result, uint64_t offset, size_t count, void *bytes);

/* XXH3-64 of the raw format: the same for every engine, backend, thread count and threshold. */
SG_API sg_status sg_result_fingerprint(const sg_result *result, uint64_t *fingerprint);

/* ---------------------------------------------------------------- verification */

typedef struct sg_verify_report {
    size_t struct_size;     /* set by the caller to sizeof(sg_verify_report) */
    uint64_t samples;       /* heap sizes checked */
    uint64_t failures;      /* heap sizes whose outcome or value contradicts the definition */
    uint64_t first_failure; /* the smallest of them; UINT64_MAX when none */
    double seconds;
} sg_verify_report;

/* Checks a result against the definition of the game: for each sampled heap size all options are looked up, and
 * outcome, mex or remoteness is formed anew. `samples` heap sizes are drawn from `seed`, without repetition; samples >=
 * n checks every one. Reads only the members of S and the result. `options` gives threads and progress; may be NULL. A
 * contradiction is not an error: see the report. Cost: samples times the members of S below n. */
SG_API sg_status sg_verify(sg_context *context, const sg_game *game, const sg_result *result, uint64_t samples,
                           uint64_t seed, const sg_solve_options *options, sg_verify_report *report);

/* ---------------------------------------------------------------- cost profiles */

/* The planner chooses by a model of time, whose constants are nanoseconds on one core. The built-in ones are those of
 * one machine for each instruction set; a profile holds those of this machine. Profiles change which way a solve goes
 * and how long it takes, never what it finds. The library reads no profile by itself: a context uses the built-in costs
 * until one of these functions gives it others, for all its later solves by the same instruction set. */
typedef struct sg_cost_info {
    size_t struct_size;  /* set by the caller to sizeof(sg_cost_info) */
    const char *name;    /* "segment_shift_ns", ...; static storage */
    const char *meaning; /* static storage */
    double default_ns;   /* built in, for the instruction set that runs */
    double ns;           /* in force */
} sg_cost_info;

/* Writes cost `index` (0, 1, ...) and returns true; false past the last one. */
SG_API bool sg_profile_cost(sg_context *context, size_t index, sg_cost_info *cost);

/* Puts the profile in a file in force. SG_ERROR_IO: it cannot be read. SG_ERROR_UNSUPPORTED: it has another version, or
 * was made for another processor or instruction set. SG_ERROR_PARSE: a cost is unknown, missing, given twice or out of
 * range. Costs are as before after a failure. */
SG_API sg_status sg_profile_load(sg_context *context, const char *path);

/* Writes the costs in force to a file, to six decimals. It is written beside its final name and then renamed, so that
 * the path holds the old profile or the whole new one. SG_ERROR_IO. */
SG_API sg_status sg_profile_save(sg_context *context, const char *path);

/* Options of a calibration. Initialise with sg_calibrate_options_init, then change fields. */
typedef struct sg_calibrate_options {
    size_t struct_size; /* sizeof(sg_calibrate_options), set by the init function; lets the struct grow */
    double seconds; /* about how long it may take; 20 by default. Shorter ones see smaller games and are less exact */
    sg_progress_fn progress; /* NULL: none */
    void *progress_user;
} sg_calibrate_options;

SG_API void sg_calibrate_options_init(sg_calibrate_options *options);

typedef struct sg_calibration {
    size_t struct_size;          /* set by the caller to sizeof(sg_calibration) */
    const char *instruction_set; /* that the costs are for; static storage */
    uint32_t solves;             /* games that were solved */
    double seconds;              /* that it took */
    double error_before; /* mean of |ln(foreseen / measured)| over them: by the built-in costs, and by those found */
    double error_after;
} sg_calibration;

/* Finds the costs of this machine and puts them in force: solves a range of games on one thread, in every way that the
 * model prices, and fits the costs to the times (least squares of logarithms; costs that matter nowhere stay
 * as they are built in). `options` may be NULL for the defaults, `report` for none. SG_ERROR_CANCELLED,
 * SG_ERROR_OUT_OF_MEMORY; costs are as before after a failure. Best on a machine that does nothing else. */
SG_API sg_status sg_calibrate(sg_context *context, const sg_calibrate_options *options, sg_calibration *report);

#ifdef __cplusplus
}
#endif

#endif
