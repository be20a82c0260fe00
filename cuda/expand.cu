/* Bits become twisted complex numbers: the cold positions of a node's source, and the classes of S. */
#include "complex.cuh"

/* One thread a number. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS expand_sources_kernel(sg_cuda_layout layout, sg_cuda_pieces pieces,
                                                            const uint32_t *cold, uint64_t first, Complex *numbers) {
    uint64_t i = global_thread(), piece = i >> pieces.level, x = i & (((uint64_t)1 << pieces.level) - 1);
    if (piece >= pieces.line_count * pieces.count)
        return;
    uint64_t line = piece / pieces.count, column = first + ((piece - line * pieces.count) << pieces.level) + x;
    uint32_t word = line_words(layout, cold, pieces.first_line + line)[column / 32];
    numbers[i] = word >> (column % 32) & 1 ? twist<Complex>(x, pieces.level) : precision<Complex>::make(0, 0);
}

cudaError_t sg_cuda_expand_sources(sg_cuda_layout layout, sg_cuda_pieces pieces, const uint32_t *cold, uint64_t first,
                                   void *numbers, cudaStream_t stream) {
    uint64_t threads = pieces.line_count * pieces.count << pieces.level;
    if (pieces.in_double)
        return launch_threads(expand_sources_kernel<double2>, threads, stream, layout, pieces, cold, first,
                              static_cast<double2 *>(numbers));
    return launch_threads(expand_sources_kernel<float2>, threads, stream, layout, pieces, cold, first,
                          static_cast<float2 *>(numbers));
}

/* The window of a class: entries base .. base + 2 * 2^level - 1; entry u goes to the real part of number u, or the
 * imaginary part of number u - 2^level. */
struct class_window {
    int64_t base;
    int64_t length; /* 2 * 2^level */
};

/* One thread a listed member; the numbers are zero before. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS expand_list_kernel(const sg_cuda_class *classes, const uint32_t *words,
                                                         uint64_t residue, class_window window, Complex *numbers) {
    const sg_cuda_class &members = classes[residue];
    uint64_t i = global_thread();
    if (i >= members.count)
        return;
    uint32_t g = 0; /* the last group that begins at or before i */
    for (uint32_t step = 16; step != 0; step /= 2)
        if (members.group[g + step] <= i)
            g += step;
    int64_t u = 32 * (int64_t)words[members.first + i] + g - window.base;
    if (u < 0 || u >= window.length)
        return;
    if (u < window.length / 2)
        numbers[u].x = 1;
    else
        numbers[u - window.length / 2].y = 1;
}

static __device__ __forceinline__ bool bit_at(const uint32_t *row, uint64_t columns, int64_t q) {
    return q >= 0 && (uint64_t)q < columns && (row[q / 32] >> (q % 32) & 1);
}

/* One thread a number. */
template <class Complex>
static __global__ void SG_CUDA_BOUNDS expand_bits_kernel(sg_cuda_layout layout, const uint32_t *bits, uint64_t line,
                                                         class_window window, Complex *numbers) {
    int64_t half = window.length / 2, x = (int64_t)global_thread();
    const uint32_t *row = line_words(layout, bits, line);
    if (x < half)
        numbers[x] = precision<Complex>::make(bit_at(row, layout.columns, window.base + x),
                                              bit_at(row, layout.columns, window.base + half + x));
}

/* One thread a number: times its twist and 2^-level. */
template <class Complex> static __global__ void SG_CUDA_BOUNDS twist_kernel(uint32_t level, Complex *numbers) {
    using Real = typename precision<Complex>::Real;
    uint64_t x = global_thread(), length = (uint64_t)1 << level;
    if (x >= length)
        return;
    Complex number = numbers[x], factor = twist<Complex>(x, level);
    Real scale = (Real)1 / (Real)length;
    numbers[x] = precision<Complex>::make((number.x * factor.x - number.y * factor.y) * scale,
                                          (number.x * factor.y + number.y * factor.x) * scale);
}

template <class Complex>
static cudaError_t expand_class(const sg_cuda_layout &layout, const sg_cuda_shifts &shifts,
                                const sg_cuda_class *host_class, uint64_t residue, uint32_t level, int64_t base,
                                Complex *numbers, cudaStream_t stream) {
    uint64_t length = (uint64_t)1 << level;
    class_window window = {base, (int64_t)(2 * length)};
    cudaError_t error;
    if (host_class->is_dense) {
        error = launch_threads(expand_bits_kernel<Complex>, length, stream, layout, shifts.bits, host_class->first,
                               window, numbers);
    } else {
        error = cudaMemsetAsync(numbers, 0, length * sizeof *numbers, stream);
        if (error == cudaSuccess)
            error = launch_threads(expand_list_kernel<Complex>, host_class->count, stream, shifts.classes, shifts.words,
                                   residue, window, numbers);
    }
    return error == cudaSuccess ? launch_threads(twist_kernel<Complex>, length, stream, level, numbers) : error;
}

cudaError_t sg_cuda_expand_class(sg_cuda_layout layout, sg_cuda_shifts shifts, const sg_cuda_class *host_class,
                                 uint64_t residue, uint32_t level, bool in_double, int64_t base, void *numbers,
                                 cudaStream_t stream) {
    if (in_double)
        return expand_class(layout, shifts, host_class, residue, level, base, static_cast<double2 *>(numbers), stream);
    return expand_class(layout, shifts, host_class, residue, level, base, static_cast<float2 *>(numbers), stream);
}
