// IEEE half precision: __half, __half2 and their intrinsics, rounded as the hardware rounds (to nearest even, once).
#pragma once
#include "hip_runtime.h"
#include "../hip_cpu/small_float.h"

#define HIP_CPU_F __half
#define HIP_CPU_F2 __half2
#define HIP_CPU_RAW __half_raw
#define HIP_CPU_RAW2 __half2_raw
#define HIP_CPU_FORMAT hip_cpu::Half
#define HIP_CPU_DECODE(bits) hip_cpu::decode_half(bits)
#define HIP_CPU_ENCODE(value) hip_cpu::encode_half(value)
#define HIP_CPU_FMA(a, b, c) hip_cpu::half_fma(a, b, c)
#include "../hip_cpu/float16.inc"
typedef __half half;
typedef __half2 half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __double2half(double x) { return __half(x); }
static inline float __half2float(__half h) { return h; }
#define HIP_CPU_DIRECTED(suffix, way)                                                            \
  static inline __half __float2half_##suffix(float x) {                                          \
    return __half::hip_cpu_from_bits(hip_cpu::encode16<hip_cpu::Half>(x, hip_cpu::Round::way));  \
  }
HIP_CPU_DIRECTED(rz, ZERO) HIP_CPU_DIRECTED(rd, DOWN) HIP_CPU_DIRECTED(ru, UP)
#undef HIP_CPU_DIRECTED
static inline __half2 make_half2(__half a, __half b) { return {a, b}; }
static inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
static inline __half2 __half2half2(__half a) { return {a, a}; }
static inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
static inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
static inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
static inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
static inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
static inline short __half_as_short(__half a) { return static_cast<short>(a.hip_cpu_bits); }
static inline unsigned short __half_as_ushort(__half a) { return a.hip_cpu_bits; }
static inline __half __short_as_half(short a) { return __half::hip_cpu_from_bits(static_cast<unsigned short>(a)); }
static inline __half __ushort_as_half(unsigned short a) { return __half::hip_cpu_from_bits(a); }

#define HIP_CPU_INTEGER(I, name)                                                                           \
  static inline I __half2##name##_rn(__half h) { return hip_cpu::saturating<I>(rintf(h)); }                \
  static inline I __half2##name##_rz(__half h) { return hip_cpu::saturating<I>(truncf(h)); }               \
  static inline I __half2##name##_rd(__half h) { return hip_cpu::saturating<I>(floorf(h)); }               \
  static inline I __half2##name##_ru(__half h) { return hip_cpu::saturating<I>(ceilf(h)); }                \
  static inline __half __##name##2half_rn(I v) { return __half(v); }
HIP_CPU_INTEGER(int, int) HIP_CPU_INTEGER(unsigned, uint) HIP_CPU_INTEGER(short, short)
HIP_CPU_INTEGER(unsigned short, ushort) HIP_CPU_INTEGER(long long, ll) HIP_CPU_INTEGER(unsigned long long, ull)
#undef HIP_CPU_INTEGER
