/* The paper's recursion on FFTW, as a baseline: theorem 1 on one bit vector with a real transform of length 2B for a
 * block of B heap sizes, in single precision. The transform of S[0, 2B) is made once a level; longer blocks are cut
 * into pieces, whose products are summed before one inverse. Base cases are sieved a word at a time. FFTW is GPL, and
 * so is a program that links this. */
#include "baselines.h"

#include <fftw3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Heap sizes of a base case, and of the longest pieces, as powers of two: longer ones were slower with FFTW. */
enum { LEAF_LOG2 = 13, PIECE_LOG2 = 20, LEVELS = 40 };

typedef struct solver {
    uint64_t n;
    unsigned threads;
    const uint64_t *members; /* bits, one word of zeros before them */
    uint64_t *hot;
    unsigned top_log2; /* of the longest pieces */
    fftwf_plan forward[LEVELS];
    fftwf_plan inverse[LEVELS];
    float *stored[LEVELS]; /* windows one after another: one, but for the longest pieces 2k - 1 for nodes of k pieces */
    bool *is_stored;       /* of the longest pieces' windows */
    float *sources;        /* transforms of a node's source pieces */
    float *sum;
} solver;

/* Floats of a transform of a piece: 2^log2 + 1 complex numbers, padded to keep each 64-byte aligned. */
static uint64_t stride(unsigned log2) {
    return (((uint64_t)1 << log2) + 16) * 2;
}

static bool bit(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

static const float *window(solver *s, unsigned log2, uint64_t w) {
    uint64_t length = (uint64_t)2 << log2, base = (w - 1) << log2;
    float *values = s->stored[log2] + (w - 1) * stride(log2);
    if (log2 == s->top_log2 ? s->is_stored[w - 1] : values[length + 2] != 0)
        return values;
    memset(values, 0, stride(log2) * sizeof *values);
    for (uint64_t x = 0; x < length && base + x < s->n; x++)
        if (bit(s->members, base + x))
            values[x] = 1 / (float)length;
    fftwf_execute_dft_r2c(s->forward[log2], values, (fftwf_complex *)values);
    if (log2 == s->top_log2)
        s->is_stored[w - 1] = true;
    else
        values[length + 2] = 1; /* in the padding */
    return values;
}

static void add_product(const float *a, const float *b, float *sum, uint64_t count, unsigned threads) {
#pragma omp parallel for num_threads(threads) if (count >= 1 << 15)
    for (uint64_t k = 0; k < count; k++) {
        sum[2 * k] += a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1];
        sum[2 * k + 1] += a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k];
    }
    (void)threads;
}

static void mark(const solver *s, const float *counts, uint64_t first, uint64_t length) {
#pragma omp parallel for num_threads(s->threads) if (length >= 1 << 15)
    for (uint64_t w = 0; w < length / 64; w++) {
        uint64_t word = 0;
        for (unsigned i = 0; i < 64; i++)
            word |= (uint64_t)(counts[64 * w + i] > 0.5F) << i;
        s->hot[first / 64 + w] |= word;
    }
}

static void contribute(solver *s, uint64_t first, uint64_t length) {
    unsigned log2 = (unsigned)__builtin_ctzll(length);
    log2 = log2 < s->top_log2 ? log2 : s->top_log2;
    uint64_t piece = (uint64_t)1 << log2, pieces = length / piece;
    for (uint64_t j = 0; j < pieces; j++) {
        float *source = s->sources + j * stride(log2);
        for (uint64_t x = 0; x < piece; x++)
            source[x] = bit(s->hot, first + j * piece + x) ? 0 : 1;
        memset(source + piece, 0, piece * sizeof *source);
        fftwf_execute_dft_r2c(s->forward[log2], source, (fftwf_complex *)source);
    }
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t target = first + length + i * piece;
        if (target >= s->n)
            return;
        memset(s->sum, 0, stride(log2) * sizeof *s->sum);
        for (uint64_t j = 0; j < pieces; j++)
            add_product(s->sources + j * stride(log2), window(s, log2, pieces + i - j), s->sum, piece + 1, s->threads);
        fftwf_execute_dft_c2r(s->inverse[log2], (fftwf_complex *)s->sum, s->sum);
        mark(s, s->sum + piece, target, piece);
    }
}

/* Settles a base case: the lowest open heap size is cold, and marks by whole words of S. */
static void solve_leaf(const solver *s, uint64_t first, uint64_t length) {
    uint64_t *hot = s->hot + first / 64, words = length / 64;
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t done = 0; ~hot[w] & ~done;) {
            unsigned shift = (unsigned)__builtin_ctzll(~hot[w] & ~done);
            done |= (uint64_t)1 << shift;
            for (uint64_t t = w; t < words; t++)
                hot[t] |= shift ? s->members[t - w] << shift | s->members[(int64_t)(t - w) - 1] >> (64 - shift)
                                : s->members[t - w];
        }
}

static void solve(solver *s, uint64_t first, uint64_t length) {
    if (first >= s->n)
        return;
    if (length <= (uint64_t)1 << LEAF_LOG2) {
        solve_leaf(s, first, length);
        return;
    }
    solve(s, first, length / 2);
    if (first + length / 2 >= s->n)
        return;
    contribute(s, first, length / 2);
    solve(s, first + length / 2, length / 2);
}

/* Plans, and room for the transforms, of all levels below a root of `length` heap sizes. */
static bool prepare(solver *s, uint64_t length) {
    uint64_t root = length / 2;
    unsigned root_log2 = (unsigned)__builtin_ctzll(root);
    s->top_log2 = root_log2 < PIECE_LOG2 ? root_log2 : PIECE_LOG2;
    uint64_t pieces = root >> s->top_log2;
    s->sources = fftwf_malloc(pieces * stride(s->top_log2) * sizeof(float));
    s->sum = fftwf_malloc(stride(s->top_log2) * sizeof(float));
    s->is_stored = calloc(2 * pieces + 1, sizeof *s->is_stored);
    if (!s->sources || !s->sum || !s->is_stored)
        return false;
    fftwf_init_threads();
    for (unsigned log2 = LEAF_LOG2; log2 <= s->top_log2; log2++) {
        uint64_t windows = log2 == s->top_log2 ? 2 * pieces - 1 : 1;
        s->stored[log2] = fftwf_malloc(windows * stride(log2) * sizeof(float));
        fftwf_plan_with_nthreads(2 << log2 >= 1 << 15 ? (int)s->threads : 1);
        s->forward[log2] = fftwf_plan_dft_r2c_1d(2 << log2, s->sum, (fftwf_complex *)s->sum, FFTW_ESTIMATE);
        s->inverse[log2] = fftwf_plan_dft_c2r_1d(2 << log2, (fftwf_complex *)s->sum, s->sum, FFTW_ESTIMATE);
        if (!s->stored[log2] || !s->forward[log2] || !s->inverse[log2])
            return false;
        if (log2 < s->top_log2)
            s->stored[log2][((uint64_t)2 << log2) + 2] = 0; /* not yet made */
    }
    return true;
}

static void release(solver *s) {
    for (unsigned log2 = 0; log2 < LEVELS; log2++) {
        fftwf_destroy_plan(s->forward[log2]);
        fftwf_destroy_plan(s->inverse[log2]);
        fftwf_free(s->stored[log2]);
    }
    fftwf_free(s->sources);
    fftwf_free(s->sum);
    free(s->is_stored);
}

int baseline_fftw_cold(const uint64_t *members, size_t member_count, uint64_t n, unsigned threads,
                       uint64_t *cold_bits) {
    uint64_t length = (uint64_t)1 << LEAF_LOG2, words = (n + 63) / 64;
    while (length < n)
        length *= 2;
    uint64_t *member_bits = calloc(length / 64 + 2, sizeof *member_bits), *hot = calloc(length / 64, sizeof *hot);
    solver s = {.n = n, .threads = threads, .members = member_bits + 1, .hot = hot};
    bool ready = member_bits && hot && (length == (uint64_t)1 << LEAF_LOG2 || prepare(&s, length));
    for (size_t i = 0; i < member_count && ready && members[i] < n; i++)
        member_bits[1 + members[i] / 64] |= (uint64_t)1 << members[i] % 64;
    if (ready) {
        solve(&s, 0, length);
        for (uint64_t w = 0; w < words; w++)
            cold_bits[w] = ~hot[w];
        if (n % 64)
            cold_bits[words - 1] &= ((uint64_t)1 << n % 64) - 1;
        if (words == n / 64)
            cold_bits[words] = 0;
    }
    release(&s);
    free(member_bits);
    free(hot);
    return ready ? 0 : 1;
}
