// Device mathematics that the C++ library lacks: min and max, bit operations, fast and directed-rounding functions.
//
// The fast functions (__expf, ...) are the accurate ones here: a GPU's are less accurate, never more.
#pragma once
#include "vector.h"
#include <float.h>

#define HIP_CPU_MINMAX(T)                                          \
  static inline T min(T a, T b) { return b < a ? b : a; }          \
  static inline T max(T a, T b) { return a < b ? b : a; }
HIP_CPU_MINMAX(int) HIP_CPU_MINMAX(unsigned) HIP_CPU_MINMAX(long) HIP_CPU_MINMAX(unsigned long)
HIP_CPU_MINMAX(long long) HIP_CPU_MINMAX(unsigned long long)
#undef HIP_CPU_MINMAX
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
template <class A, class B, class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// ---- bits
namespace hip_cpu __attribute__((visibility("hidden"))) {
template <class To, class From> inline To same_bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "");
  To r;
  memcpy(&r, &v, sizeof r);
  return r;
}
}  // namespace hip_cpu
static inline int __float_as_int(float x) { return hip_cpu::same_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return hip_cpu::same_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return hip_cpu::same_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return hip_cpu::same_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return hip_cpu::same_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return hip_cpu::same_bits<double>(x); }
static inline int __double2hiint(double x) { return static_cast<int>(hip_cpu::same_bits<uint64_t>(x) >> 32); }
static inline int __double2loint(double x) { return static_cast<int>(hip_cpu::same_bits<uint64_t>(x)); }
static inline double __hiloint2double(int hi, int lo) {
  return hip_cpu::same_bits<double>(uint64_t(uint32_t(hi)) << 32 | uint32_t(lo));
}
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffs(unsigned v) { return __builtin_ffs(static_cast<int>(v)); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline int __ffsll(unsigned long long v) { return __builtin_ffsll(static_cast<long long>(v)); }
static inline int __ffsll(unsigned long v) { return __builtin_ffsll(static_cast<long long>(v)); }
static inline unsigned __brev(unsigned v) {
  v = __builtin_bswap32(v);
  v = (v & 0x0F0F0F0Fu) << 4 | (v >> 4 & 0x0F0F0F0Fu);
  v = (v & 0x33333333u) << 2 | (v >> 2 & 0x33333333u);
  return (v & 0x55555555u) << 1 | (v >> 1 & 0x55555555u);
}
static inline unsigned long long __brevll(unsigned long long v) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(v))) << 32 | __brev(static_cast<unsigned>(v >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const uint64_t both = uint64_t(y) << 32 | x;
  unsigned r = 0;
  for (unsigned i = 0; i < 4; ++i) r |= static_cast<unsigned>(both >> (s >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  return r;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return static_cast<unsigned>((uint64_t(hi) << 32 | lo) << (n & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return static_cast<unsigned>((uint64_t(hi) << 32 | lo) >> (n & 31));
}
static inline int __mul24(int a, int b) {
  auto low = [](int v) { return static_cast<long long>(static_cast<int>(static_cast<unsigned>(v) << 8) >> 8); };
  return static_cast<int>(low(a) * low(b));
}
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
static inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(uint64_t(a) * b >> 32); }
static inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static inline unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(a > b ? static_cast<long long>(a) - b : static_cast<long long>(b) - a) + c;
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
static inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
static inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
static inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += static_cast<int8_t>(a >> 8 * i) * static_cast<int8_t>(b >> 8 * i);
  return c;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xFF) * (b >> 8 * i & 0xFF);
  return c;
}

// ---- conversions with a rounding direction
namespace hip_cpu __attribute__((visibility("hidden"))) {
template <class I, class F> inline I saturating(F v) {  // NaN to 0, out of range to the nearest, as GPUs do
  if (!(v == v)) return 0;
  if (v <= static_cast<F>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  if (v >= static_cast<F>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
  return static_cast<I>(v);
}
}  // namespace hip_cpu
#define HIP_CPU_TO_INTEGER(F, from, I, to)                                                               \
  static inline I __##from##2##to##_rn(F x) { return hip_cpu::saturating<I>(__builtin_rint(double(x))); } \
  static inline I __##from##2##to##_rz(F x) { return hip_cpu::saturating<I>(__builtin_trunc(double(x))); } \
  static inline I __##from##2##to##_rd(F x) { return hip_cpu::saturating<I>(__builtin_floor(double(x))); } \
  static inline I __##from##2##to##_ru(F x) { return hip_cpu::saturating<I>(__builtin_ceil(double(x))); }
HIP_CPU_TO_INTEGER(float, float, int, int) HIP_CPU_TO_INTEGER(float, float, unsigned, uint)
HIP_CPU_TO_INTEGER(float, float, long long, ll) HIP_CPU_TO_INTEGER(float, float, unsigned long long, ull)
HIP_CPU_TO_INTEGER(double, double, int, int) HIP_CPU_TO_INTEGER(double, double, unsigned, uint)
HIP_CPU_TO_INTEGER(double, double, long long, ll) HIP_CPU_TO_INTEGER(double, double, unsigned long long, ull)
#undef HIP_CPU_TO_INTEGER
static inline float __int2float_rn(int x) { return static_cast<float>(x); }
static inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
static inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
static inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
static inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
static inline float __double2float_rn(double x) { return static_cast<float>(x); }
static inline float __double2float_rz(double x) {
  const float f = static_cast<float>(x);
  return std::fabs(static_cast<double>(f)) > std::fabs(x) ? std::nextafter(f, 0.f) : f;
}
static inline float __double2float_rd(double x) {
  const float f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
static inline float __double2float_ru(double x) {
  const float f = static_cast<float>(x);
  return static_cast<double>(f) < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}
static inline float __int2float_rz(int x) { return __double2float_rz(x); }
static inline float __int2float_rd(int x) { return __double2float_rd(x); }
static inline float __int2float_ru(int x) { return __double2float_ru(x); }
static inline float __uint2float_rz(unsigned x) { return __double2float_rz(x); }

// ---- arithmetic with round to nearest, and the fast functions
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __frsqrt_rn(float a) { return static_cast<float>(1. / std::sqrt(static_cast<double>(a))); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1. / a; }
static inline double __dsqrt_rn(double a) { return std::sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __saturatef(float x) { return x > 0.f ? (x < 1.f ? x : 1.f) : 0.f; }

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline float exp10_fast(float x) { return static_cast<float>(std::pow(10., static_cast<double>(x))); }
inline void sincos_fast(float x, float* s, float* c) { *s = std::sin(x); *c = std::cos(x); }
}  // namespace hip_cpu
// The C library declares these names for itself, so they cannot be functions.
#define __expf(x) ::expf(x)
#define __exp2f(x) ::exp2f(x)
#define __exp10f(x) ::hip_cpu::exp10_fast(x)
#define __logf(x) ::logf(x)
#define __log2f(x) ::log2f(x)
#define __log10f(x) ::log10f(x)
#define __powf(x, y) ::powf(x, y)
#define __sinf(x) ::sinf(x)
#define __cosf(x) ::cosf(x)
#define __tanf(x) ::tanf(x)
#define __tanhf(x) ::tanhf(x)
#define __sincosf(x, s, c) ::hip_cpu::sincos_fast(x, s, c)

#if !defined(__GLIBC_PREREQ)
#define HIP_CPU_C23_MATH 0
#else
#define HIP_CPU_C23_MATH __GLIBC_PREREQ(2, 41)
#endif
#if !HIP_CPU_C23_MATH
static inline float rsqrtf(float x) { return 1.f / sqrtf(x); }
static inline double rsqrt(double x) { return 1. / sqrt(x); }
static inline double sinpi(double x) { return sin(M_PI * (x - 2. * std::rint(x / 2.))); }
static inline double cospi(double x) { return cos(M_PI * (x - 2. * std::rint(x / 2.))); }
static inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
static inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
#endif
static inline float rsqrt(float x) { return 1.f / sqrtf(x); }
static inline float rcbrtf(float x) { return 1.f / cbrtf(x); }
static inline double rcbrt(double x) { return 1. / cbrt(x); }
static inline float rhypotf(float x, float y) { return 1.f / hypotf(x, y); }
static inline double rhypot(double x, double y) { return 1. / hypot(x, y); }
static inline float norm3df(float x, float y, float z) {
  return static_cast<float>(std::sqrt(double(x) * x + double(y) * y + double(z) * z));
}
static inline float rnorm3df(float x, float y, float z) { return 1.f / norm3df(x, y, z); }
static inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(std::sqrt(double(x) * x + double(y) * y + double(z) * z + double(w) * w));
}
static inline void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
static inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
static inline double erfcx(double x) {  // exp(x^2) erfc(x); a continued fraction where erfc has no digits left
  if (x < 20.) return exp(x * x) * erfc(x);
  double f = x;
  for (int k = 20; k > 0; --k) f = x + 0.5 * k / f;
  return 1. / (f * std::sqrt(M_PI));
}
static inline float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
static inline double erfcinv(double y) {  // a rational start, then Newton's steps where erf or erfc has its digits
  if (!(y > 0. && y < 2.)) return y == 0. ? HUGE_VAL : y == 2. ? -HUGE_VAL : NAN;
  const double tail = y < 1. ? y : 2. - y;
  const double l = log(tail) + log1p(1. - tail), a = 0.147, t = 2. / (M_PI * a) + l / 2.;
  double x = std::sqrt(std::sqrt(t * t - l / a) - t);
  for (int k = 0; k < 8; ++k) {
    const double error = tail < 0.5 ? erfc(x) - tail : (1. - tail) - erf(x);
    x += error * std::sqrt(M_PI) / 2. * exp(x * x);
  }
  return y < 1. ? x : -x;
}
static inline double erfinv(double y) {
  if (std::fabs(y) > 0.5) return y > 0. ? erfcinv(1. - y) : -erfcinv(1. + y);
  double x = y * std::sqrt(M_PI) / 2.;
  for (int k = 0; k < 8; ++k) x += (y - erf(x)) * std::sqrt(M_PI) / 2. * exp(x * x);
  return x;
}
static inline float erfcinvf(float y) { return static_cast<float>(erfcinv(static_cast<double>(y))); }
static inline float erfinvf(float y) { return static_cast<float>(erfinv(static_cast<double>(y))); }
static inline double normcdfinv(double p) { return -M_SQRT2 * erfcinv(2. * p); }
static inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(static_cast<double>(p))); }

// ---- memory and clocks
template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T __ldca(const T* p) { return *p; }
template <class T> static inline T __ldcg(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline void __stcg(T* p, T v) { *p = v; }
template <class T> static inline void __stcs(T* p, T v) { *p = v; }
#ifndef __clang__
template <class T> static inline T __builtin_nontemporal_load(const T* p) { return *p; }
template <class T, class P> static inline void __builtin_nontemporal_store(T v, P* p) { *p = v; }
#endif
