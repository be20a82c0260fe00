// Arithmetic of CUDA device code: bits, integers, loads with a cache hint, trigonometry in units of pi. Part of
// device_code.h.
#ifndef EMU_DEVICE_ARITHMETIC_H
#define EMU_DEVICE_ARITHMETIC_H

#include <cmath>
#include <cstdint>
#include <type_traits>

inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
inline int __clz(int x) {
    return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
inline int __clzll(long long x) {
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long reversed = 0;
    for (int i = 0; i < 64; i++)
        reversed |= (x >> i & 1) << (63 - i);
    return reversed;
}
inline unsigned __brev(unsigned x) {
    return static_cast<unsigned>(__brevll(x) >> 32);
}

// 32 bits out of high:low. The shift counts modulo 32; with the suffix c it stops at 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    __extension__ typedef unsigned __int128 wide;
    return static_cast<unsigned long long>(static_cast<wide>(a) * b >> 64);
}
template <class A, class B> inline std::common_type_t<A, B> min(A a, B b) {
    return b < a ? b : a;
}
template <class A, class B> inline std::common_type_t<A, B> max(A a, B b) {
    return a < b ? b : a;
}

// Cache hints do nothing here.
template <class T> inline T __ldg(const T *p) {
    return *p;
}
template <class T> inline T __ldcg(const T *p) {
    return *p;
}
template <class T> inline T __ldcs(const T *p) {
    return *p;
}
template <class T> inline void __stcg(T *p, T value) {
    *p = value;
}
template <class T> inline void __stcs(T *p, T value) {
    *p = value;
}

// sin(pi x) and cos(pi x), exact at multiples of 1/2 as CUDA's are: x is reduced by quarter turns before pi comes in.
template <class T> inline void emu_sincospi(T x, T *sine, T *cosine) {
    T quarters = std::rint(2 * x), rest = x - quarters / 2;
    double s = std::sin(M_PI * static_cast<double>(rest)), c = std::cos(M_PI * static_cast<double>(rest));
    int turn = static_cast<int>(std::fmod(quarters, T{4})) & 3;
    double turned_s = turn == 0 ? s : turn == 1 ? c : turn == 2 ? -s : -c;
    double turned_c = turn == 0 ? c : turn == 1 ? -s : turn == 2 ? -c : s;
    *sine = static_cast<T>(turned_s);
    *cosine = static_cast<T>(turned_c);
}
inline void sincospif(float x, float *sine, float *cosine) {
    emu_sincospi(x, sine, cosine);
}
inline void sincospi(double x, double *sine, double *cosine) {
    emu_sincospi(x, sine, cosine);
}

#endif
