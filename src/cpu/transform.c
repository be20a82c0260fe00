/* The order of passes, their sharing among threads, and the tables of twiddles. Each table entry is a product of two
 * roots of unity in long double, rounded once, so that no error builds up along a table. */
#include "transform.h"
#include "../tuning.h"

#include <math.h>
#include <omp.h>

enum { ROOT = 2 };

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
    for (unsigned row = 0, group = SG_GROUP_NUMBERS(bytes); row < group; row++)
        fill_group(lanes, bytes, row, rho(row) / group);
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

/* Blocks within the cache are the kernels' alone; longer ones are split by passes over memory. */
static void work_block(const sg_transform *transform, const sg_transform_block *block, void *values,
                       const block_job *job) {
    const sg_transform_kernels *kernels = transform->kernels;
    const sg_twiddles *twiddles = &transform->twiddles;
    if (!goes_on(transform))
        return;
    if (block->points * 2 * kernels->number_bytes > SG_TRANSFORM_BLOCK_BYTES) {
        unsigned children = sg_transform_children(block->points, kernels->number_bytes);
        uint64_t groups = block->points / children / SG_GROUP_NUMBERS(kernels->number_bytes);
        if (job->way != SUM)
            kernels->split(twiddles, block, values, 0, groups);
        for (unsigned i = 0; i < children; i++) {
            sg_transform_block child = sg_transform_child(block, children, i);
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

/* One pass: a number of steps that threads share. */
typedef struct shared_pass {
    const sg_transform *transform;
    uint64_t points;
    void *values;
    const sg_bit_coefficients *bits; /* of the first pass */
    uint8_t *marks;                  /* of the last one */
    sg_counts_quality quality;
    const block_job *job; /* of what lies between */
    const sg_product *product;
    bool add;
    uint64_t groups; /* of each part that is combined; in steps of `share` */
    uint64_t share;
} shared_pass;

static bool is_parallel(const sg_transform *transform, uint64_t points) {
    return transform->threads > 1 && points >= SG_TRANSFORM_PARALLEL_POINTS;
}

/* Short transforms stay clear of OpenMP, whose regions cost microseconds even for one thread. */
static void run_steps(shared_pass *pass, uint64_t count, void (*step)(struct shared_pass *pass, uint64_t i)) {
    if (!is_parallel(pass->transform, pass->points)) {
        for (uint64_t i = 0; i < count && goes_on(pass->transform); i++)
            step(pass, i);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(pass->transform->threads)
    for (uint64_t i = 0; i < count; i++)
        if (goes_on(pass->transform))
            step(pass, i);
}

static void run_shares(shared_pass *pass, uint64_t groups, void (*step)(struct shared_pass *pass, uint64_t i)) {
    uint64_t share = groups / (SG_ITEMS_PER_THREAD * pass->transform->threads) + 1;
    pass->groups = groups;
    pass->share = share < SG_TRANSFORM_SHARE_GROUPS ? share : SG_TRANSFORM_SHARE_GROUPS;
    if (!is_parallel(pass->transform, pass->points))
        pass->share = SG_TRANSFORM_SHARE_GROUPS;
    run_steps(pass, (groups + pass->share - 1) / pass->share, step);
}

static uint64_t share_end(const shared_pass *pass, uint64_t i) {
    return (i + 1) * pass->share < pass->groups ? (i + 1) * pass->share : pass->groups;
}

static unsigned child_count(const shared_pass *pass) {
    return sg_transform_children(pass->points, pass->transform->kernels->number_bytes);
}

static uint64_t groups_of(const shared_pass *pass, uint64_t points) {
    return points / SG_GROUP_NUMBERS(pass->transform->kernels->number_bytes);
}

static void work_child(shared_pass *pass, uint64_t i) {
    const sg_transform_block root = {ROOT, 0, pass->points};
    sg_transform_block child = sg_transform_child(&root, child_count(pass), (unsigned)i);
    work_block(pass->transform, &child, pass->values, pass->job);
}

static void read_bits(shared_pass *pass, uint64_t i) {
    pass->transform->kernels->from_bits(&pass->transform->twiddles, pass->points, pass->bits, pass->values,
                                        i * pass->share, share_end(pass, i));
}

static void write_bits(shared_pass *pass, uint64_t i) {
    sg_counts_quality quality = pass->transform->kernels->to_bits(
        &pass->transform->twiddles, pass->points, pass->values, pass->marks, i * pass->share, share_end(pass, i));
#pragma omp critical
    {
        pass->quality.doubtful |= quality.doubtful;
        if (quality.distance > pass->quality.distance)
            pass->quality.distance = quality.distance;
    }
}

static void multiply(shared_pass *pass, uint64_t i) {
    pass->transform->kernels->multiply(pass->product, pass->add, pass->values, i * pass->share, share_end(pass, i));
}

void sg_transform_forward(const sg_transform *transform, uint64_t points, const sg_bit_coefficients *bits,
                          void *values) {
    block_job job = {.way = FORWARD};
    shared_pass pass = {.transform = transform, .points = points, .values = values, .bits = bits, .job = &job};
    run_shares(&pass, groups_of(&pass, points / child_count(&pass)), read_bits);
    run_steps(&pass, child_count(&pass), work_child);
}

sg_counts_quality sg_transform_convolve(const sg_transform *transform, uint64_t points, const uint8_t *source_bits,
                                        const void *stored, void *values, uint8_t *marks) {
    sg_bit_coefficients bits = {source_bits, NULL, 1};
    block_job job = {.way = CONVOLVE, .stored = stored};
    shared_pass pass = {
        .transform = transform, .points = points, .values = values, .bits = &bits, .marks = marks, .job = &job};
    uint64_t groups = groups_of(&pass, points / child_count(&pass));
    run_shares(&pass, groups, read_bits);
    run_steps(&pass, child_count(&pass), work_child);
    run_shares(&pass, groups, write_bits);
    return pass.quality;
}

sg_counts_quality sg_transform_sum(const sg_transform *transform, uint64_t points, const sg_product *products,
                                   size_t product_count, void *values, uint8_t *marks) {
    block_job job = {.way = SUM, .products = products, .product_count = product_count};
    shared_pass pass = {.transform = transform, .points = points, .values = values, .marks = marks, .job = &job};
    run_steps(&pass, child_count(&pass), work_child);
    run_shares(&pass, groups_of(&pass, points / child_count(&pass)), write_bits);
    return pass.quality;
}

void sg_transform_multiply(const sg_transform *transform, uint64_t points, const sg_product *product, bool add,
                           void *sum) {
    shared_pass pass = {.transform = transform, .points = points, .values = sum, .product = product, .add = add};
    run_shares(&pass, groups_of(&pass, points), multiply);
}
