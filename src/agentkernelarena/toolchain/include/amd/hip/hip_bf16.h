// bfloat16 for clang without ROCm: the types and functions of HIP's hip_bf16.h over the compiler's own __bf16.
// Arithmetic is rounded to nearest even after every operation; conversions and arithmetic also work on the host.
#pragma once
#include <hip/hip_runtime.h>

#include <type_traits>

#define AKA_HD static __host__ __device__ inline __attribute__((unused))
#define AKA_D static __device__ inline __attribute__((unused))

typedef __bf16 __aka_bf16_2 __attribute__((ext_vector_type(2)));

#if !__HIP_DEVICE_COMPILE__
// On the host, clang leaves rounding to bfloat16 to the compiler's support library, which has it since GCC 13 only.
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const unsigned rounded = nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return __builtin_bit_cast(__bf16, static_cast<unsigned short>(rounded));
}
#endif

#define AKA_TYPE __hip_bfloat16
#define AKA_TYPE2 __hip_bfloat162
#define AKA_RAW __hip_bfloat16_raw
#define AKA_RAW2 __hip_bfloat162_raw
#define AKA_NATIVE __bf16
#define AKA_NATIVE2 __aka_bf16_2
#define AKA_MAGNITUDE_INF 0x7f80
#include <hip/aka_narrow_float.h>
#undef AKA_TYPE
#undef AKA_TYPE2
#undef AKA_RAW
#undef AKA_RAW2
#undef AKA_NATIVE
#undef AKA_NATIVE2
#undef AKA_MAGNITUDE_INF

// Truncation of the bits rounds towards zero; one more unit in the last place away from it where anything was lost.
AKA_D __bf16 __aka_bf16_rtz(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  if (x != x) return static_cast<__bf16>(x);
  return __builtin_bit_cast(__bf16, static_cast<unsigned short>(bits >> 16));
}
AKA_D __bf16 __aka_bf16_away(float x, bool away) {
  const __bf16 cut = __aka_bf16_rtz(x);
  if (!away || float(cut) == x || x != x) return cut;
  return __builtin_bit_cast(__bf16, static_cast<unsigned short>(__builtin_bit_cast(unsigned short, cut) + 1));
}
AKA_D __bf16 __aka_bf16_rtn(float x) { return __aka_bf16_away(x, x < 0.0f); }
AKA_D __bf16 __aka_bf16_rtp(float x) { return __aka_bf16_away(x, x > 0.0f); }

// Conversions. Rounding modes other than to nearest exist on the device only.
AKA_HD __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(__bf16(x)); }
AKA_HD __hip_bfloat16 __float2bfloat16_rn(float x) { return __hip_bfloat16(__bf16(x)); }
AKA_D __hip_bfloat16 __float2bfloat16_rz(float x) { return __hip_bfloat16(__aka_bf16_rtz(x)); }
AKA_D __hip_bfloat16 __float2bfloat16_rd(float x) { return __hip_bfloat16(__aka_bf16_rtn(x)); }
AKA_D __hip_bfloat16 __float2bfloat16_ru(float x) { return __hip_bfloat16(__aka_bf16_rtp(x)); }
AKA_HD __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16(__bf16(x)); }
AKA_HD float __bfloat162float(__hip_bfloat16 x) { return float(x.data); }
AKA_HD __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __builtin_bit_cast(__hip_bfloat16, bits); }
AKA_HD __hip_bfloat16 __short_as_bfloat16(short bits) { return __builtin_bit_cast(__hip_bfloat16, bits); }
AKA_HD unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.__x; }
AKA_HD short __bfloat16_as_short(__hip_bfloat16 x) { return static_cast<short>(x.__x); }

#define AKA_INTEGER(type, name) \
  AKA_HD __hip_bfloat16 __##name##2bfloat16_rn(type x) { return __hip_bfloat16(__bf16(x)); } \
  AKA_D type __bfloat162##name##_rn(__hip_bfloat16 x) { return static_cast<type>(__builtin_rintf(float(x.data))); } \
  AKA_D type __bfloat162##name##_rz(__hip_bfloat16 x) { return static_cast<type>(x.data); } \
  AKA_D type __bfloat162##name##_rd(__hip_bfloat16 x) { return static_cast<type>(__builtin_floorf(float(x.data))); } \
  AKA_D type __bfloat162##name##_ru(__hip_bfloat16 x) { return static_cast<type>(__builtin_ceilf(float(x.data))); }
AKA_INTEGER(int, int)
AKA_INTEGER(unsigned, uint)
AKA_INTEGER(short, short)
AKA_INTEGER(unsigned short, ushort)
AKA_INTEGER(long long, ll)
AKA_INTEGER(unsigned long long, ull)
#undef AKA_INTEGER

AKA_HD __hip_bfloat162 make_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) { return __hip_bfloat162(low, high); }
AKA_HD __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) { return __hip_bfloat162(low, high); }
AKA_HD __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return __hip_bfloat162(x, x); }
AKA_HD __hip_bfloat162 __float2bfloat162_rn(float x) { return __hip_bfloat162(__float2bfloat16(x), __float2bfloat16(x)); }
AKA_HD __hip_bfloat162 __floats2bfloat162_rn(float low, float high) { return __hip_bfloat162(__float2bfloat16(low), __float2bfloat16(high)); }
AKA_HD __hip_bfloat162 __float22bfloat162_rn(float2 x) { return __floats2bfloat162_rn(x.x, x.y); }
AKA_HD float2 __bfloat1622float2(__hip_bfloat162 x) { return float2(float(x.x.data), float(x.y.data)); }
AKA_HD __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return x.x; }
AKA_HD __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return x.y; }
AKA_HD __hip_bfloat162 __low2bfloat162(__hip_bfloat162 x) { return __hip_bfloat162(x.x, x.x); }
AKA_HD __hip_bfloat162 __high2bfloat162(__hip_bfloat162 x) { return __hip_bfloat162(x.y, x.y); }
AKA_HD __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.x, b.x); }
AKA_HD __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.y, b.y); }

// Mathematics: in single precision, rounded once.
#define AKA_FUNCTION(name, single) \
  AKA_D __hip_bfloat16 h##name(__hip_bfloat16 x) { return __hip_bfloat16(single(float(x.data))); } \
  AKA_D __hip_bfloat162 h2##name(__hip_bfloat162 x) { return __hip_bfloat162(h##name(x.x), h##name(x.y)); }
AKA_FUNCTION(exp, expf)
AKA_FUNCTION(exp2, exp2f)
AKA_FUNCTION(exp10, exp10f)
AKA_FUNCTION(log, logf)
AKA_FUNCTION(log2, log2f)
AKA_FUNCTION(log10, log10f)
AKA_FUNCTION(sin, sinf)
AKA_FUNCTION(cos, cosf)
AKA_FUNCTION(sqrt, sqrtf)
AKA_FUNCTION(rsqrt, rsqrtf)
AKA_FUNCTION(floor, floorf)
AKA_FUNCTION(ceil, ceilf)
AKA_FUNCTION(trunc, truncf)
AKA_FUNCTION(rint, rintf)
AKA_FUNCTION(rcp, 1.0f /)
#undef AKA_FUNCTION

#undef AKA_HD
#undef AKA_D
