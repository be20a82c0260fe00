/* For the files that are compiled once for each instruction set, with -DSG_KERNELS=avx512, avx2 or portable and the
 * flags to match: vectors as wide as the registers, and the names of the tables. Wider vectors the compiler would keep
 * in memory; loops over vectors have constant bounds, so that each stays in a register. */
#ifndef SG_CPU_SIMD_H
#define SG_CPU_SIMD_H

#include <stdint.h>

/* Bytes of a register. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

/* Registers of 512 bits. */
#define PARTS (64 / VECTOR_BYTES)

typedef uint64_t simd __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t unaligned_simd __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef uint64_t unaligned_64 __attribute__((aligned(1), may_alias));

/* SG_TABLE(sg_tile_kernels) is sg_tile_kernels_avx512 in the files compiled for it. */
#define SG_TABLE_(name, isa)   name##_##isa
#define SG_TABLE_OF(name, isa) SG_TABLE_(name, isa)
#define SG_TABLE(name)         SG_TABLE_OF(name, SG_KERNELS)

#define SG_TEXT_(name) #name
#define SG_TEXT(name)  SG_TEXT_(name)

#endif
