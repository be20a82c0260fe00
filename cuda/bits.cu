/* Base cases are bits in heap order, planes are rows: these kernels change one into the other. Cold positions are few,
 * so storing goes by set bits; hot marks are many, so gathering builds whole words. */
#include "device.cuh"

/* One thread a word of `bits`; atomic, since the words of a row belong to many threads. */
static __global__ void SG_CUDA_BOUNDS store_bits_kernel(sg_cuda_layout layout, uint32_t *plane, uint64_t levels,
                                                        uint64_t first_pos, uint64_t count, uint64_t words,
                                                        const uint32_t *bits) {
    uint64_t i = global_thread(), level = i / words, w = i - level * words;
    if (level >= levels || w * 32 >= count)
        return;
    for (uint32_t rest = bits[i]; rest != 0; rest &= rest - 1) {
        uint64_t p = first_pos + 32 * w + (uint64_t)(__ffs((int)rest) - 1);
        uint64_t column = p / layout.modulus, r = p - column * layout.modulus;
        atomicOr(line_words(layout, plane, level * layout.modulus + r) + column / 32, 1u << (column % 32));
    }
}

cudaError_t sg_cuda_store_bits(sg_cuda_layout layout, uint32_t *plane, uint64_t levels, uint64_t first_pos,
                               uint64_t count, uint64_t words, const uint32_t *bits, cudaStream_t stream) {
    return launch_threads(store_bits_kernel, levels * words, stream, layout, plane, levels, first_pos, count, words,
                          bits);
}

/* One thread a word of a level; neighbouring threads read neighbouring columns. */
static __global__ void SG_CUDA_BOUNDS gather_bits_kernel(sg_cuda_layout layout, const uint32_t *hot, uint64_t first_pos,
                                                         uint64_t count, uint64_t words, uint32_t *bits) {
    uint64_t i = global_thread(), level = i / words, w = i - level * words;
    if (level >= layout.levels)
        return;
    uint64_t p = first_pos + 32 * w, column = p / layout.modulus, r = p - column * layout.modulus;
    uint32_t word = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        bool is_hot = 32 * w + bit >= count || /* past the base case or past n: the planes end there too */
                      (line_words(layout, hot, level * layout.modulus + r)[column / 32] >> (column % 32) & 1);
        word |= (uint32_t)is_hot << bit;
        if (++r == layout.modulus) {
            r = 0;
            column++;
        }
    }
    bits[i] = word;
}

cudaError_t sg_cuda_gather_bits(sg_cuda_layout layout, const uint32_t *hot, uint64_t first_pos, uint64_t count,
                                uint64_t words, uint32_t *bits, cudaStream_t stream) {
    return launch_threads(gather_bits_kernel, words * layout.levels, stream, layout, hot, first_pos, count, words,
                          bits);
}

/* One thread a word of the preset plane. */
static __global__ void SG_CUDA_BOUNDS absorb_kernel(sg_cuda_layout layout, uint32_t *preset, const uint32_t *cold) {
    uint64_t w = global_thread(), words = layout.modulus * layout.row_words;
    if (w >= words)
        return;
    uint32_t found = 0;
    for (uint32_t level = 0; level < layout.levels; level++)
        found |= cold[SG_CUDA_GUARD_WORDS + level * words + w];
    preset[SG_CUDA_GUARD_WORDS + w] |= found;
}

cudaError_t sg_cuda_absorb(sg_cuda_layout layout, uint32_t *preset, const uint32_t *cold, cudaStream_t stream) {
    return launch_threads(absorb_kernel, layout.modulus * layout.row_words, stream, layout, preset, cold);
}
