/* The order of passes, their sharing among threads, and the tables of twiddles. Each table entry is a product of two
 * roots of unity in long double, rounded once, so that no error builds up along a table. */
#include "transform.h"
#include "../tuning.h"

#include <math.h>
#include <omp.h>

enum { ROOT = 2, SPLIT_CHILDREN = 16 };

/* --- tables --- */

typedef struct root_of_unity {
    long double re;
    long double im;
} root_of_unity;

/* exp(2 pi i turns). */
static root_of_unity root_at(long double turns) {
    const long double two_pi = 6.283185307179586476925286766559L;
    return (root_of_unity){cosl(two_pi * turns), sinl(two_pi * turns)};
}

static root_of_unity product(root_of_unity a, root_of_unity b) {
    return (root_of_unity){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The bits of b behind the point, lowest first. */
static long double rho(uint64_t b) {
    long double turns = 0, weight = 0.5L;
    for (; b; b >>= 1, weight /= 2)
        if (b & 1)
            turns += weight;
    return turns;
}

static void put(void *table, unsigned number_bytes, uint64_t at, long double value) {
    if (number_bytes == sizeof(float))
        ((float *)table)[at] = (float)value;
    else
        ((double *)table)[at] = (double)value;
}

static uint64_t tile_points(unsigned number_bytes) {
    uint64_t group = SG_GROUP_NUMBERS(number_bytes);
    return group * group;
}

/* Nodes with radix-4 children among all nodes of the longest transform. */
static uint64_t node_count(uint64_t most_points, unsigned number_bytes) {
    return 3 * most_points / (4 * tile_points(number_bytes));
}

static uint64_t nodes_bytes(uint64_t most_points, unsigned number_bytes) {
    return node_count(most_points, number_bytes) * SG_NODE_NUMBERS * number_bytes;
}

static uint64_t lanes_bytes(unsigned number_bytes) {
    return SG_GROUP_NUMBERS(number_bytes) * 128;
}

/* A twist is two groups. */
enum { TWIST_BYTES = 256 };

static uint64_t coarse_count(uint64_t most_points, unsigned number_bytes) {
    return 2 * most_points / tile_points(number_bytes) / SG_FINE_TWISTS;
}

uint64_t sg_transform_bytes(uint64_t most_points, unsigned number_bytes) {
    return nodes_bytes(most_points, number_bytes) + lanes_bytes(number_bytes) +
           (SG_FINE_TWISTS + coarse_count(most_points, number_bytes)) * TWIST_BYTES;
}

/* rho(b) is that of b's low bits, plus that of its high bits moved behind them. */
enum { LOW_BITS = 8 };

static void fill_nodes(void *nodes, unsigned number_bytes, uint64_t count) {
    root_of_unity low[1 << LOW_BITS];
    for (uint64_t b = 0; b < 1 << LOW_BITS; b++)
        low[b] = root_at(rho(b) / 4);
    for (uint64_t high = 0; high << LOW_BITS < count; high++) {
        root_of_unity moved = root_at(ldexpl(rho(high), -LOW_BITS) / 4);
        for (uint64_t b = high << LOW_BITS; b < (high + 1) << LOW_BITS && b < count; b++) {
            root_of_unity power = product(low[b % (1 << LOW_BITS)], moved), w = power;
            for (unsigned i = 0; i < 3; i++, power = product(power, w)) {
                put(nodes, number_bytes, SG_NODE_NUMBERS * b + 2 * i, power.re);
                put(nodes, number_bytes, SG_NODE_NUMBERS * b + 2 * i + 1, power.im);
            }
        }
    }
}

/* A group of powers of exp(2 pi i turns). */
static void fill_group(void *table, unsigned number_bytes, uint64_t at, long double turns) {
    unsigned group = SG_GROUP_NUMBERS(number_bytes);
    root_of_unity root = root_at(turns), power = {1, 0};
    for (unsigned j = 0; j < group; j++, power = product(power, root)) {
        put(table, number_bytes, at * 2 * group + j, power.re);
        put(table, number_bytes, at * 2 * group + group + j, power.im);
    }
}

static void fill_twist(void *table, unsigned number_bytes, uint64_t at, long double turns) {
    uint64_t group = SG_GROUP_NUMBERS(number_bytes);
    fill_group(table, number_bytes, 2 * at, turns / (long double)group);
    fill_group(table, number_bytes, 2 * at + 1, turns / (long double)(group * group));
}

static void fill_twists(void *fine, void *coarse, unsigned number_bytes, uint64_t most_tiles) {
    for (uint64_t low = 0; low < SG_FINE_TWISTS; low++)
        fill_twist(fine, number_bytes, low, rho(low));
    for (uint64_t tiles = SG_FINE_TWISTS; tiles <= most_tiles; tiles *= 2)
        for (uint64_t high = 0; high < tiles / SG_FINE_TWISTS; high++)
            fill_twist(coarse, number_bytes, tiles / SG_FINE_TWISTS + high,
                       rho(high) / SG_FINE_TWISTS + 0.25L / (long double)tiles);
}

sg_status sg_transform_open(sg_transform *transform, const sg_transform_kernels *kernels, uint64_t most_points,
                            uint32_t threads, sg_memory *memory, sg_monitor *monitor) {
    sg_status status;
    unsigned bytes = kernels->number_bytes;
    void *nodes, *lanes, *fine, *coarse;
    *transform = (sg_transform){.kernels = kernels, .threads = threads, .memory = memory, .monitor = monitor};
    SG_TAKE(memory, nodes, nodes_bytes(most_points, bytes));
    transform->twiddles.nodes = nodes;
    SG_TAKE(memory, lanes, lanes_bytes(bytes));
    transform->twiddles.lanes = lanes;
    SG_TAKE(memory, fine, SG_FINE_TWISTS * TWIST_BYTES);
    transform->twiddles.fine = fine;
    SG_TAKE(memory, coarse, coarse_count(most_points, bytes) * TWIST_BYTES);
    transform->twiddles.coarse = coarse;
    fill_nodes(nodes, bytes, node_count(most_points, bytes));
    for (uint64_t row = 0; row < SG_GROUP_NUMBERS(bytes); row++)
        fill_group(lanes, bytes, row, rho(row) / SG_GROUP_NUMBERS(bytes));
    fill_twists(fine, coarse, bytes, most_points / tile_points(bytes));
cleanup:
    if (status != SG_OK)
        sg_transform_close(transform);
    return status;
}

void sg_transform_close(sg_transform *transform) {
    sg_memory_give(transform->memory, (void *)transform->twiddles.nodes);
    sg_memory_give(transform->memory, (void *)transform->twiddles.lanes);
    sg_memory_give(transform->memory, (void *)transform->twiddles.fine);
    sg_memory_give(transform->memory, (void *)transform->twiddles.coarse);
    *transform = (sg_transform){0};
}

/* --- the order of passes --- */

/* What is done to the blocks between the first pass and the last: one of the kernels' three ways. */
typedef struct block_job {
    enum { FORWARD, CONVOLVE, SUM } way;
    const void *stored;
    const sg_product *products;
    size_t product_count;
} block_job;

/* Keeps the caller informed. Returns false once cancelled: the values are then of no use, and nobody will look. */
static bool goes_on(const sg_transform *transform) {
    if (omp_get_thread_num() == 0)
        sg_monitor_tick(transform->monitor);
    return !sg_monitor_cancelled(transform->monitor);
}

/* Blocks within the cache are the kernels' alone; longer ones are split by passes over memory, few since of radix 16. */
static void work_block(const sg_transform *transform, const sg_transform_block *block, void *values,
                       const block_job *job) {
    const sg_transform_kernels *kernels = transform->kernels;
    const sg_twiddles *twiddles = &transform->twiddles;
    if (!goes_on(transform))
        return;
    if (block->points * 2 * kernels->number_bytes > SG_TRANSFORM_BLOCK_BYTES) {
        uint64_t points = block->points / SPLIT_CHILDREN, groups = points / SG_GROUP_NUMBERS(kernels->number_bytes);
        if (job->way != SUM)
            kernels->split(twiddles, block, values, 0, groups);
        for (uint64_t i = 0; i < SPLIT_CHILDREN; i++) {
            sg_transform_block child = {SPLIT_CHILDREN * block->node + i, block->first + i * points, points};
            work_block(transform, &child, values, job);
        }
        if (job->way != FORWARD)
            kernels->join(twiddles, block, values, 0, groups);
    } else if (job->way == FORWARD) {
        kernels->forward(twiddles, block, values);
    } else if (job->way == CONVOLVE) {
        kernels->convolve(twiddles, block, values, job->stored);
    } else {
        kernels->sum(twiddles, block, values, job->products, job->product_count);
    }
}

static bool is_parallel(const sg_transform *transform, uint64_t points) {
    return transform->threads > 1 && points >= SG_TRANSFORM_PARALLEL_POINTS;
}

static void work_children(const sg_transform *transform, uint64_t points, void *values, const block_job *job) {
    uint64_t children = sg_root_children(points, transform->kernels->number_bytes);
#pragma omp parallel for schedule(dynamic, 1) num_threads(transform->threads) if (is_parallel(transform, points))
    for (uint64_t i = 0; i < children; i++) {
        sg_transform_block child = {ROOT * children + i, i * (points / children), points / children};
        work_block(transform, &child, values, job);
    }
}

/* Groups of each of the root's children, and how many of them a thread takes at a time. */
typedef struct pass_shares {
    uint64_t groups;
    uint64_t share;
} pass_shares;

static pass_shares shares_of(const sg_transform *transform, uint64_t points) {
    unsigned bytes = transform->kernels->number_bytes;
    uint64_t groups = points / sg_root_children(points, bytes) / SG_GROUP_NUMBERS(bytes);
    uint64_t share = is_parallel(transform, points) ? groups / (SG_ITEMS_PER_THREAD * transform->threads) + 1 : groups;
    return (pass_shares){groups, share < SG_TRANSFORM_SHARE_GROUPS ? share : SG_TRANSFORM_SHARE_GROUPS};
}

static uint64_t share_end(const pass_shares *shares, uint64_t first) {
    return first + shares->share < shares->groups ? first + shares->share : shares->groups;
}

static void first_pass(const sg_transform *transform, uint64_t points, const sg_bit_coefficients *bits, void *values) {
    pass_shares shares = shares_of(transform, points);
#pragma omp parallel for schedule(dynamic, 1) num_threads(transform->threads) if (is_parallel(transform, points))
    for (uint64_t first = 0; first < shares.groups; first += shares.share)
        if (goes_on(transform))
            transform->kernels->from_bits(&transform->twiddles, points, bits, values, first,
                                          share_end(&shares, first));
}

static sg_counts_quality last_pass(const sg_transform *transform, uint64_t points, const void *values, uint8_t *marks) {
    pass_shares shares = shares_of(transform, points);
    bool doubtful = false;
    double distance = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(transform->threads)                                          \
    reduction(|| : doubtful) reduction(max : distance) if (is_parallel(transform, points))
    for (uint64_t first = 0; first < shares.groups; first += shares.share)
        if (goes_on(transform)) {
            sg_counts_quality quality = transform->kernels->to_bits(&transform->twiddles, points, values, marks, first,
                                                                    share_end(&shares, first));
            doubtful = doubtful || quality.doubtful;
            distance = quality.distance > distance ? quality.distance : distance;
        }
    return (sg_counts_quality){doubtful, distance};
}

void sg_transform_forward(const sg_transform *transform, uint64_t points, const sg_bit_coefficients *bits,
                          void *values) {
    block_job job = {.way = FORWARD};
    first_pass(transform, points, bits, values);
    work_children(transform, points, values, &job);
}

sg_counts_quality sg_transform_convolve(const sg_transform *transform, uint64_t points, const uint8_t *source_bits,
                                        const void *stored, void *values, uint8_t *marks) {
    sg_bit_coefficients bits = {source_bits, NULL, 1};
    block_job job = {.way = CONVOLVE, .stored = stored};
    first_pass(transform, points, &bits, values);
    work_children(transform, points, values, &job);
    return last_pass(transform, points, values, marks);
}

sg_counts_quality sg_transform_sum(const sg_transform *transform, uint64_t points, const sg_product *products,
                                   size_t product_count, void *values, uint8_t *marks) {
    block_job job = {.way = SUM, .products = products, .product_count = product_count};
    work_children(transform, points, values, &job);
    return last_pass(transform, points, values, marks);
}

void sg_transform_multiply(const sg_transform *transform, uint64_t points, const sg_product *product, bool add,
                           void *sum) {
    uint64_t groups = points / SG_GROUP_NUMBERS(transform->kernels->number_bytes);
#pragma omp parallel for schedule(static) num_threads(transform->threads) if (is_parallel(transform, points))
    for (uint64_t first = 0; first < groups; first += SG_TRANSFORM_SHARE_GROUPS)
        if (goes_on(transform))
            transform->kernels->multiply(product, add, sum, first,
                                         first + SG_TRANSFORM_SHARE_GROUPS < groups ? first + SG_TRANSFORM_SHARE_GROUPS
                                                                                    : groups);
}
