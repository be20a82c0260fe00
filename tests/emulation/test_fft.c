/* The emulated cuFFT against sums over the definition of the transform: all types, directions, in place and not,
 * batches, strides; and what the API promises about plans and work areas. */
#include "device_checks.h"

#include <complex.h>
#include <cufft.h>
#include <math.h>

/* Where element (i, j) of batch b lies: b * distance + (i * embed + j) * stride; a transform of rank 1 has i = 0. */
typedef struct layout {
    long long embed, stride, distance;
} layout;

typedef struct fft_case {
    const char *name;
    cufftType type;
    bool inverse, in_place, packed; /* packed: cuFFT is given no layouts */
    long long rows, columns, batch; /* rows 0: rank 1 */
    layout in, out;
} fft_case;

static const fft_case cases[] = {
    {"c2c_forward", CUFFT_C2C, false, false, true, 0, 48, 3, {48, 1, 48}, {48, 1, 48}},
    {"c2c_inverse", CUFFT_C2C, true, false, true, 0, 48, 3, {48, 1, 48}, {48, 1, 48}},
    {"c2c_forward_in_place", CUFFT_C2C, false, true, true, 0, 64, 5, {64, 1, 64}, {64, 1, 64}},
    {"c2c_inverse_in_place", CUFFT_C2C, true, true, true, 0, 64, 5, {64, 1, 64}, {64, 1, 64}},
    {"c2c_strided", CUFFT_C2C, false, false, false, 0, 30, 4, {30, 5, 1}, {30, 2, 61}},
    {"c2c_strided_in_place", CUFFT_C2C, true, true, false, 0, 32, 4, {32, 4, 1}, {32, 4, 1}},
    {"c2c_odd_offsets", CUFFT_C2C, false, false, false, 0, 35, 3, {35, 1, 37}, {35, 1, 35}},
    {"c2c_rank_2", CUFFT_C2C, false, false, true, 6, 10, 2, {10, 1, 60}, {10, 1, 60}},
    {"c2c_rank_2_embedded", CUFFT_C2C, true, false, false, 6, 10, 2, {13, 2, 200}, {11, 1, 70}},
    {"c2c_length_1", CUFFT_C2C, false, true, true, 0, 1, 4, {1, 1, 1}, {1, 1, 1}},
    {"z2z_forward", CUFFT_Z2Z, false, false, true, 0, 60, 2, {60, 1, 60}, {60, 1, 60}},
    {"z2z_inverse_in_place", CUFFT_Z2Z, true, true, true, 0, 128, 1, {128, 1, 128}, {128, 1, 128}},
    {"z2z_strided", CUFFT_Z2Z, true, false, false, 0, 16, 3, {16, 3, 1}, {16, 1, 20}},
    {"r2c", CUFFT_R2C, false, false, true, 0, 30, 3, {30, 1, 30}, {16, 1, 16}},
    {"r2c_odd", CUFFT_R2C, false, false, true, 0, 31, 3, {31, 1, 31}, {16, 1, 16}},
    {"r2c_in_place", CUFFT_R2C, false, true, true, 0, 30, 3, {32, 1, 32}, {16, 1, 16}},
    {"r2c_embedded", CUFFT_R2C, false, false, false, 0, 30, 2, {30, 2, 61}, {16, 1, 20}},
    {"c2r", CUFFT_C2R, true, false, true, 0, 30, 3, {16, 1, 16}, {30, 1, 30}},
    {"c2r_in_place", CUFFT_C2R, true, true, true, 0, 30, 3, {16, 1, 16}, {32, 1, 32}},
    {"d2z", CUFFT_D2Z, false, false, true, 0, 30, 3, {30, 1, 30}, {16, 1, 16}},
    {"d2z_rank_2", CUFFT_D2Z, false, false, true, 4, 6, 2, {6, 1, 24}, {4, 1, 16}},
    {"z2d", CUFFT_Z2D, true, false, true, 0, 31, 2, {16, 1, 16}, {31, 1, 31}},
};

static const char *case_name(size_t i) {
    return cases[i].name;
}

static bool is_wide(cufftType type) {
    return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

static bool takes_reals(cufftType type) {
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

static bool gives_reals(cufftType type) {
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}

/* An array of reals or of pairs of reals, in single or double precision. */
typedef struct array {
    void *values;
    size_t elements, bytes;
    bool wide, real;
} array;

static array new_array(const layout *l, const fft_case *c, bool real) {
    long long rows = c->rows ? c->rows : 1;
    size_t elements = (size_t)((c->batch - 1) * l->distance + ((rows - 1) * l->embed + l->embed) * l->stride) + 3;
    size_t bytes = elements * (real ? 1 : 2) * (is_wide(c->type) ? sizeof(double) : sizeof(float));
    return (array){malloc(bytes), elements, bytes, is_wide(c->type), real};
}

static double get_real(const array *a, size_t i) {
    return a->wide ? ((const double *)a->values)[i] : (double)((const float *)a->values)[i];
}

static double complex get(const array *a, size_t i) {
    return a->real ? get_real(a, i) : get_real(a, 2 * i) + I * get_real(a, 2 * i + 1);
}

static void fill(array *a, uint64_t seed) {
    for (size_t i = 0; i < a->elements * (a->real ? 1 : 2); i++) {
        double value = (double)next_number(&seed) / 2147483648.0 - 1;
        if (a->wide)
            ((double *)a->values)[i] = value;
        else
            ((float *)a->values)[i] = (float)value;
    }
}

static size_t place(const layout *l, long long batch, long long row, long long column) {
    return (size_t)(batch * l->distance + (row * l->embed + column) * l->stride);
}

/* Input (row, column) of a batch; a transform to reals is given the half with column <= columns / 2 and takes the rest
 * from the symmetry x(-row, -column) = conj(x(row, column)). */
static double complex input(const fft_case *c, const array *in, long long batch, long long row, long long column) {
    long long rows = c->rows ? c->rows : 1;
    if (!gives_reals(c->type) || column <= c->columns / 2)
        return get(in, place(&c->in, batch, row, column));
    return conj(get(in, place(&c->in, batch, (rows - row) % rows, c->columns - column)));
}

static double complex transformed(const fft_case *c, const array *in, long long batch, long long row,
                                  long long column) {
    long long rows = c->rows ? c->rows : 1;
    double complex sum = 0;
    double turn = (c->inverse ? 2 : -2) * acos(-1.0);
    for (long long i = 0; i < rows; i++)
        for (long long j = 0; j < c->columns; j++) {
            double phase =
                (double)(i * row % rows) / (double)rows + (double)(j * column % c->columns) / (double)c->columns;
            double complex x = input(c, in, batch, i, j);
            /* What the symmetry says is real is taken as such. */
            if (gives_reals(c->type) && rows == 1 && (j == 0 || 2 * j == c->columns))
                x = creal(x);
            sum += x * cexp(I * turn * phase);
        }
    return sum;
}

static cufftHandle new_plan(const fft_case *c, size_t *work_bytes) {
    cufftHandle plan = 0;
    long long lengths[2] = {c->rows ? c->rows : c->columns, c->columns};
    long long in_embed[2] = {c->rows ? c->rows : c->in.embed, c->in.embed};
    long long out_embed[2] = {c->rows ? c->rows : c->out.embed, c->out.embed};
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftMakePlanMany64(plan, c->rows ? 2 : 1, lengths, c->packed ? NULL : in_embed, c->in.stride,
                                  c->in.distance, c->packed ? NULL : out_embed, c->out.stride, c->out.distance, c->type,
                                  c->batch, work_bytes),
              CUFFT_SUCCESS);
    return plan;
}

static cufftResult execute(cufftHandle plan, const fft_case *c, void *in, void *out) {
    int direction = c->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    switch (c->type) {
    case CUFFT_C2C:
        return cufftExecC2C(plan, in, out, direction);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, in, out, direction);
    case CUFFT_R2C:
        return cufftExecR2C(plan, in, out);
    case CUFFT_C2R:
        return cufftExecC2R(plan, in, out);
    case CUFFT_D2Z:
        return cufftExecD2Z(plan, in, out);
    case CUFFT_Z2D:
        return cufftExecZ2D(plan, in, out);
    }
    return CUFFT_INVALID_TYPE;
}

static void expect_transformed(const fft_case *c, const array *in, const array *before, const array *out) {
    long long rows = c->rows ? c->rows : 1;
    long long columns = takes_reals(c->type) ? c->columns / 2 + 1 : c->columns;
    double worst = 0;
    bool *written = calloc(out->elements, sizeof *written);
    for (long long b = 0; b < c->batch; b++)
        for (long long i = 0; i < rows; i++)
            for (long long j = 0; j < columns; j++) {
                size_t at = place(&c->out, b, i, j);
                written[at] = true;
                worst = fmax(worst, cabs(get(out, at) - transformed(c, in, b, i, j)));
            }
    EXPECT_NEAR(worst, 0, is_wide(c->type) ? 1e-12 : 1e-4);
    for (size_t i = 0; !c->in_place && i < out->elements; i++)
        if (!written[i])
            EXPECT_NEAR(cabs(get(out, i) - get(before, i)), 0, 0);
    free(written);
}

SG_TEST_P(Fft, IsTheSumThatDefinesIt, fft_case, cases, case_name) {
    size_t work_bytes = 0;
    emu_reset();
    array in = new_array(&param->in, param, takes_reals(param->type));
    array out = new_array(&param->out, param, gives_reals(param->type));
    array before = new_array(&param->out, param, gives_reals(param->type));
    fill(&in, 1);
    fill(&before, 2);
    size_t bytes = in.bytes > out.bytes ? in.bytes : out.bytes;
    void *d_in = new_on_device(bytes), *d_out = param->in_place ? d_in : to_device(before.values, before.bytes);
    cufftHandle plan = new_plan(param, &work_bytes);
    for (int round = 0; round < 2; round++) { /* the second with FFTW's plan of the first */
        EXPECT_CUDA(cudaMemcpy(d_in, in.values, in.bytes, cudaMemcpyHostToDevice));
        EXPECT_EQ(execute(plan, param, d_in, d_out), CUFFT_SUCCESS);
        to_host(out.values, d_out, out.bytes);
        expect_transformed(param, &in, &before, &out);
    }
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    EXPECT_STREQ(emu_last_report(), "");
    emu_reset();
    free(in.values);
    free(out.values);
    free(before.values);
}

/* A plan serves both directions, in place and not, in any order, and arrays that begin anywhere. */
SG_TEST(Fft, OnePlanServesAllUses) {
    enum { LENGTH = 32, ROOM = 3 * LENGTH };
    size_t work_bytes = 0;
    emu_reset();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fft_case c = {"", CUFFT_C2C, false, false, true, 0, LENGTH, 1, {LENGTH, 1, LENGTH}, {LENGTH, 1, LENGTH}};
        array in = {malloc(ROOM * 8), ROOM, ROOM * 8, false, false}, out = in;
        out.values = malloc(ROOM * 8);
        cufftHandle plan = new_plan(&c, &work_bytes);
        for (uint64_t round = 0; round < 8; round++) {
            uint64_t choice = seed * 31 + round * 7;
            size_t offset = choice % 3 * 2 + (choice & 1);
            c.inverse = choice >> 1 & 1;
            c.in_place = choice >> 2 & 1;
            fill(&in, choice + 1);
            cufftComplex *d_in = to_device(in.values, in.bytes), *d_out = to_device(in.values, in.bytes);
            cufftComplex *target = c.in_place ? d_in + offset : d_out + 1;
            EXPECT_EQ(execute(plan, &c, d_in + offset, target), CUFFT_SUCCESS);
            to_host(out.values, target, LENGTH * 8);
            array shifted = in;
            shifted.values = (float *)in.values + 2 * offset;
            double worst = 0;
            for (long long j = 0; j < LENGTH; j++)
                worst = fmax(worst, cabs(get(&out, (size_t)j) - transformed(&c, &shifted, 0, 0, j)));
            EXPECT_NEAR(worst, 0, 1e-4);
            EXPECT_CUDA(cudaFree(d_in));
            EXPECT_CUDA(cudaFree(d_out));
        }
        EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
        free(in.values);
        free(out.values);
    }
    emu_reset();
}

/* ---------------------------------------------------------------- plans, streams and work areas */

static const fft_case plain = {"", CUFFT_C2C, false, true, true, 0, 64, 2, {64, 1, 64}, {64, 1, 64}};

SG_TEST(Fft, WhatLiesInTheWorkAreaIsLost) {
    enum { BYTES = 2 * 64 * sizeof(cufftComplex) };
    static uint8_t zeros[BYTES], work[BYTES];
    size_t work_bytes = 0;
    cufftHandle plan = 0;
    long long length = 64;
    emu_reset();
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
    EXPECT_EQ(cufftMakePlanMany64(plan, 1, &length, NULL, 1, 64, NULL, 1, 64, CUFFT_C2C, 2, &work_bytes),
              CUFFT_SUCCESS);
    ASSERT_LE(work_bytes, sizeof work);
    ASSERT_LT(0u, work_bytes);
    void *d_data = to_device(zeros, BYTES), *d_work = to_device(zeros, work_bytes), *d_small = new_on_device(8);
    EXPECT_EQ(execute(plan, &plain, d_data, d_data), CUFFT_INVALID_VALUE); /* none so far */
    EXPECT_EQ(cufftSetWorkArea(plan, d_small), CUFFT_INVALID_VALUE);
    EXPECT_EQ(cufftSetWorkArea(plan, d_work), CUFFT_SUCCESS);
    EXPECT_EQ(execute(plan, &plain, d_data, d_data), CUFFT_SUCCESS);
    to_host(work, d_work, work_bytes);
    size_t untouched = 0;
    for (size_t i = 0; i < work_bytes; i++)
        untouched += work[i] == 0;
    EXPECT_EQ(untouched, 0u);
    emu_reset();
}

SG_TEST(Fft, RunsInItsStream) {
    enum { BYTES = 2 * 64 * sizeof(cufftComplex) };
    static float numbers[BYTES / sizeof(float)];
    float *pinned = NULL;
    size_t work_bytes = 0;
    emu_reset();
    cudaStream_t stream = new_stream();
    EXPECT_CUDA(cudaMallocHost((void **)&pinned, BYTES));
    numbers[0] = 3; /* its transform is 3 everywhere */
    memcpy(pinned, numbers, BYTES);
    void *d_data = new_on_device(BYTES);
    cufftHandle plan = new_plan(&plain, &work_bytes);
    EXPECT_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
    EXPECT_CUDA(cudaMemcpyAsync(d_data, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    EXPECT_EQ(execute(plan, &plain, d_data, d_data), CUFFT_SUCCESS);
    EXPECT_CUDA(cudaMemcpyAsync(pinned, d_data, BYTES, cudaMemcpyDeviceToHost, stream));
    EXPECT_NEAR((double)pinned[10], 0, 0); /* nothing has run */
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_NEAR((double)pinned[10], 3, 1e-6);
    emu_reset();
}

SG_TEST(Fft, RefusesWhatCufftRefuses) {
    size_t work_bytes = 0;
    long long length = 64, none = 0;
    cufftHandle plan = 0;
    float numbers[256] = {0};
    emu_reset();
    EXPECT_EQ(cufftDestroy(999), CUFFT_INVALID_PLAN);
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    void *d_data = new_on_device(2 * 64 * sizeof(cufftComplex)), *d_short = new_on_device(1000);
    EXPECT_EQ(execute(plan, &plain, d_data, d_data), CUFFT_INVALID_PLAN); /* not made */
    EXPECT_EQ(cufftMakePlanMany64(plan, 1, &none, NULL, 1, 64, NULL, 1, 64, CUFFT_C2C, 2, &work_bytes),
              CUFFT_INVALID_SIZE);
    EXPECT_EQ(cufftMakePlanMany64(plan, 1, &length, NULL, 1, 64, NULL, 1, 64, CUFFT_C2C, 2, &work_bytes),
              CUFFT_SUCCESS);
    EXPECT_EQ(cufftExecZ2Z(plan, d_data, d_data, CUFFT_FORWARD), CUFFT_INVALID_PLAN); /* of another type */
    EXPECT_EQ(execute(plan, &plain, d_short, d_short), CUFFT_EXEC_FAILED);
    EXPECT_TRUE(strstr(emu_last_report(), "past the end of its allocation") != NULL);
    EXPECT_EQ(execute(plan, &plain, numbers, numbers), CUFFT_EXEC_FAILED);
    EXPECT_EQ(execute(plan, &plain, d_data, d_data), CUFFT_SUCCESS);
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
    emu_reset();
}

SG_TEST(Fft, NoiseCanBeAddedToSinglePrecision) {
    enum { POINTS = 128 };
    static const cufftType types[] = {CUFFT_C2C, CUFFT_Z2Z};
    for (size_t i = 0; i < 2; i++) {
        fft_case c = {"", types[i], false, true, true, 0, POINTS, 1, {POINTS, 1, POINTS}, {POINTS, 1, POINTS}};
        size_t work_bytes = 0;
        double worst = 0;
        array zeros = new_array(&c.in, &c, false);
        emu_reset();
        emu_noise(0.25);
        memset(zeros.values, 0, zeros.bytes);
        void *d_data = to_device(zeros.values, zeros.bytes);
        cufftHandle plan = new_plan(&c, &work_bytes);
        EXPECT_EQ(execute(plan, &c, d_data, d_data), CUFFT_SUCCESS);
        to_host(zeros.values, d_data, zeros.bytes);
        for (size_t k = 0; k < 2 * POINTS; k++)
            worst = fmax(worst, fabs(get_real(&zeros, k)));
        EXPECT_TRUE(is_wide(types[i]) ? worst == 0 : worst > 0.2 && worst <= 0.25);
        free(zeros.values);
    }
    emu_reset();
}
