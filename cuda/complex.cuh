/* Complex numbers in either precision, and the twist of the convolution (see convolver.c). */
#ifndef SG_CUDA_COMPLEX_CUH
#define SG_CUDA_COMPLEX_CUH

#include "device.cuh"

/* Real: the scalar; Complex: cuFFT's pair of it. */
template <class Complex> struct precision;
template <> struct precision<float2> {
    using Real = float;
    static __device__ __forceinline__ float2 make(float re, float im) {
        return make_float2(re, im);
    }
    static __device__ __forceinline__ void sincospi(float x, float *sine, float *cosine) {
        ::sincospif(x, sine, cosine);
    }
};
template <> struct precision<double2> {
    using Real = double;
    static __device__ __forceinline__ double2 make(double re, double im) {
        return make_double2(re, im);
    }
    static __device__ __forceinline__ void sincospi(double x, double *sine, double *cosine) {
        ::sincospi(x, sine, cosine);
    }
};

/* exp(i pi x / (2 * 2^level)): its 2^level-th power is i. The angle is exact. */
template <class Complex> static __device__ __forceinline__ Complex twist(uint64_t x, uint32_t level) {
    using Real = typename precision<Complex>::Real;
    Real sine, cosine;
    precision<Complex>::sincospi((Real)x / (Real)((uint64_t)2 << level), &sine, &cosine);
    return precision<Complex>::make(cosine, sine);
}

#endif
