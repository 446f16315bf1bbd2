// bfloat16: __hip_bfloat16, __hip_bfloat162 and their intrinsics, rounded to nearest even.
#pragma once
#include "hip_runtime.h"
#include "../hip_cpu/small_float.h"

#define HIP_CPU_F __hip_bfloat16
#define HIP_CPU_F2 __hip_bfloat162
#define HIP_CPU_RAW __hip_bfloat16_raw
#define HIP_CPU_RAW2 __hip_bfloat162_raw
#define HIP_CPU_FORMAT hip_cpu::Brain
#define HIP_CPU_DECODE(bits) hip_cpu::decode_brain(bits)
#define HIP_CPU_ENCODE(value) hip_cpu::encode_brain(value)
#define HIP_CPU_FMA(a, b, c) fmaf(a, b, c)
#include "../hip_cpu/float16.inc"

static inline __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }
static inline __hip_bfloat16 __float2bfloat16_rn(float x) { return __hip_bfloat16(x); }
static inline __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16(x); }
static inline float __bfloat162float(__hip_bfloat16 b) { return b; }
#define HIP_CPU_DIRECTED(suffix, way)                                                                     \
  static inline __hip_bfloat16 __float2bfloat16_##suffix(float x) {                                       \
    return __hip_bfloat16::hip_cpu_from_bits(hip_cpu::encode16<hip_cpu::Brain>(x, hip_cpu::Round::way));  \
  }
HIP_CPU_DIRECTED(rz, ZERO) HIP_CPU_DIRECTED(rd, DOWN) HIP_CPU_DIRECTED(ru, UP)
#undef HIP_CPU_DIRECTED
static inline __hip_bfloat162 make_bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
static inline __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
static inline __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return {a, a}; }
static inline __hip_bfloat162 __float2bfloat162_rn(float a) { return {__hip_bfloat16(a), __hip_bfloat16(a)}; }
static inline __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__hip_bfloat16(a), __hip_bfloat16(b)}; }
static inline __hip_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
static inline float2 __bfloat1622float2(__hip_bfloat162 a) { return make_float2(a.x, a.y); }
static inline __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
static inline __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
static inline __hip_bfloat162 __low2bfloat162(__hip_bfloat162 a) { return {a.x, a.x}; }
static inline __hip_bfloat162 __high2bfloat162(__hip_bfloat162 a) { return {a.y, a.y}; }
static inline __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x, b.x}; }
static inline __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.y, b.y}; }
static inline short __bfloat16_as_short(__hip_bfloat16 a) { return static_cast<short>(a.hip_cpu_bits); }
static inline unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return a.hip_cpu_bits; }
static inline __hip_bfloat16 __short_as_bfloat16(short a) {
  return __hip_bfloat16::hip_cpu_from_bits(static_cast<unsigned short>(a));
}
static inline __hip_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __hip_bfloat16::hip_cpu_from_bits(a); }

#define HIP_CPU_INTEGER(I, name)                                                                             \
  static inline I __bfloat162##name##_rn(__hip_bfloat16 h) { return hip_cpu::saturating<I>(rintf(h)); }      \
  static inline I __bfloat162##name##_rz(__hip_bfloat16 h) { return hip_cpu::saturating<I>(truncf(h)); }     \
  static inline I __bfloat162##name##_rd(__hip_bfloat16 h) { return hip_cpu::saturating<I>(floorf(h)); }     \
  static inline I __bfloat162##name##_ru(__hip_bfloat16 h) { return hip_cpu::saturating<I>(ceilf(h)); }      \
  static inline __hip_bfloat16 __##name##2bfloat16_rn(I v) { return __hip_bfloat16(v); }
HIP_CPU_INTEGER(int, int) HIP_CPU_INTEGER(unsigned, uint) HIP_CPU_INTEGER(short, short)
HIP_CPU_INTEGER(unsigned short, ushort) HIP_CPU_INTEGER(long long, ll) HIP_CPU_INTEGER(unsigned long long, ull)
#undef HIP_CPU_INTEGER
