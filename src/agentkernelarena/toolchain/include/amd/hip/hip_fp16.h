// Half precision for clang without ROCm: the types and functions of HIP's hip_fp16.h over the compiler's own _Float16.
// Arithmetic is rounded to nearest even after every operation; conversions and arithmetic also work on the host.
#pragma once
#include <hip/hip_runtime.h>

#include <type_traits>

#define AKA_HD static __host__ __device__ inline __attribute__((unused))
#define AKA_D static __device__ inline __attribute__((unused))

typedef _Float16 _Float16_2 __attribute__((ext_vector_type(2)));

#define AKA_TYPE __half
#define AKA_TYPE2 __half2
#define AKA_RAW __half_raw
#define AKA_RAW2 __half2_raw
#define AKA_NATIVE _Float16
#define AKA_NATIVE2 _Float16_2
#define AKA_MAGNITUDE_INF 0x7c00
#include <hip/aka_narrow_float.h>
#undef AKA_TYPE
#undef AKA_TYPE2
#undef AKA_RAW
#undef AKA_RAW2
#undef AKA_NATIVE
#undef AKA_NATIVE2
#undef AKA_MAGNITUDE_INF

typedef __half half;
typedef __half2 half2;

// Conversions. Rounding modes other than to nearest exist on the device only.
AKA_HD __half __float2half(float x) { return __half(_Float16(x)); }
AKA_HD __half __float2half_rn(float x) { return __half(_Float16(x)); }
AKA_D __half __float2half_rz(float x) { return __half(__ocml_cvtrtz_f16_f32(x)); }
AKA_D __half __float2half_rd(float x) { return __half(__ocml_cvtrtn_f16_f32(x)); }
AKA_D __half __float2half_ru(float x) { return __half(__ocml_cvtrtp_f16_f32(x)); }
AKA_HD __half __double2half(double x) { return __half(_Float16(x)); }
AKA_HD float __half2float(__half x) { return float(x.data); }
AKA_HD __half __ushort_as_half(unsigned short bits) { return __builtin_bit_cast(__half, bits); }
AKA_HD __half __short_as_half(short bits) { return __builtin_bit_cast(__half, bits); }
AKA_HD unsigned short __half_as_ushort(__half x) { return x.__x; }
AKA_HD short __half_as_short(__half x) { return static_cast<short>(x.__x); }

#define AKA_INTEGER(type, name) \
  AKA_HD __half __##name##2half_rn(type x) { return __half(_Float16(x)); } \
  AKA_D type __half2##name##_rn(__half x) { return static_cast<type>(__builtin_rintf(float(x.data))); } \
  AKA_D type __half2##name##_rz(__half x) { return static_cast<type>(x.data); } \
  AKA_D type __half2##name##_rd(__half x) { return static_cast<type>(__builtin_floorf(float(x.data))); } \
  AKA_D type __half2##name##_ru(__half x) { return static_cast<type>(__builtin_ceilf(float(x.data))); }
AKA_INTEGER(int, int)
AKA_INTEGER(unsigned, uint)
AKA_INTEGER(short, short)
AKA_INTEGER(unsigned short, ushort)
AKA_INTEGER(long long, ll)
AKA_INTEGER(unsigned long long, ull)
#undef AKA_INTEGER

AKA_HD __half2 make_half2(__half low, __half high) { return __half2(low, high); }
AKA_HD __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
AKA_HD __half2 __half2half2(__half x) { return __half2(x, x); }
AKA_HD __half2 __float2half2_rn(float x) { return __half2(__float2half(x), __float2half(x)); }
AKA_HD __half2 __floats2half2_rn(float low, float high) { return __half2(__float2half(low), __float2half(high)); }
AKA_HD __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
AKA_HD float2 __half22float2(__half2 x) { return float2(float(x.x.data), float(x.y.data)); }
AKA_HD __half __low2half(__half2 x) { return x.x; }
AKA_HD __half __high2half(__half2 x) { return x.y; }
AKA_HD __half2 __low2half2(__half2 x) { return __half2(x.x, x.x); }
AKA_HD __half2 __high2half2(__half2 x) { return __half2(x.y, x.y); }
AKA_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
AKA_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

// Mathematics
#define AKA_FUNCTION(name) \
  AKA_D __half h##name(__half x) { return __half(__ocml_##name##_f16(x.data)); } \
  AKA_D __half2 h2##name(__half2 x) { return __half2(__ocml_##name##_2f16(x.data)); }
AKA_FUNCTION(exp)
AKA_FUNCTION(exp2)
AKA_FUNCTION(exp10)
AKA_FUNCTION(log)
AKA_FUNCTION(log2)
AKA_FUNCTION(log10)
AKA_FUNCTION(sin)
AKA_FUNCTION(cos)
AKA_FUNCTION(sqrt)
AKA_FUNCTION(rsqrt)
AKA_FUNCTION(floor)
AKA_FUNCTION(ceil)
AKA_FUNCTION(trunc)
AKA_FUNCTION(rint)
#undef AKA_FUNCTION
AKA_D __half hrcp(__half x) { return __half(_Float16(1) / x.data); }
AKA_D __half2 h2rcp(__half2 x) { return __half2(hrcp(x.x), hrcp(x.y)); }

#undef AKA_HD
#undef AKA_D
