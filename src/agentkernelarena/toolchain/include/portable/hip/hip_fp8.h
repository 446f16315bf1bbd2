// 8-bit floating point of HIP: the OCP formats e4m3 and e5m2 and AMD's fnuz variants, the same on every platform.
// Conversions to 8 bits round to nearest even once, from single precision.
#pragma once
#if defined(__CUDACC__)
#include <cuda_fp8.h>
#endif
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstring>

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;

enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };

namespace aka_fp8 {

// E5M2 keeps an infinity; E4M3 spends its last code alone on NaN; the fnuz formats have one NaN, 0x80, no negative zero
// and an exponent bias that is larger by one.
struct Format {
  int mantissa, bias, largest, overflow;
  bool fnuz;
};

__host__ __device__ constexpr Format format(__hip_fp8_interpretation_t kind) {
  return kind == __HIP_E4M3        ? Format{3, 7, 0x7e, 0x7f, false}
         : kind == __HIP_E5M2      ? Format{2, 15, 0x7b, 0x7c, false}
         : kind == __HIP_E4M3_FNUZ ? Format{3, 8, 0x7f, 0x80, true}
                                   : Format{2, 16, 0x7f, 0x80, true};
}

__host__ __device__ inline __hip_fp8_storage_t encode(float value, bool saturate, Format f) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t sign = (bits >> 24) & 0x80u;
  if (magnitude > 0x7f800000u) return static_cast<__hip_fp8_storage_t>(f.fnuz ? 0x80u : sign | 0x7fu);
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int smallest = 1 - f.bias;
  const int below = exponent < smallest ? smallest - exponent : 0;
  const int drop = 23 - f.mantissa + below;
  uint32_t code = 0;
  if (drop <= 24) {  // otherwise less than half of the smallest subnormal
    const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t rest = significand & ((1u << drop) - 1u);
    const uint32_t half = 1u << (drop - 1);
    code = significand >> drop;
    code += rest > half || (rest == half && (code & 1u)) ? 1u : 0u;
    code += static_cast<uint32_t>(exponent + below - smallest) << f.mantissa;
  }
  if (code > static_cast<uint32_t>(f.largest)) {
    code = static_cast<uint32_t>(saturate ? f.largest : f.overflow);
    if (f.fnuz && !saturate) return 0x80u;
  }
  return static_cast<__hip_fp8_storage_t>(f.fnuz && code == 0 ? 0u : sign | code);
}

__host__ __device__ inline float decode(__hip_fp8_storage_t code, Format f) {
  const uint32_t magnitude = code & 0x7fu;
  const uint32_t mantissa = magnitude & ((1u << f.mantissa) - 1u);
  const int exponent = static_cast<int>(magnitude >> f.mantissa);
  uint32_t bits;
  if (f.fnuz ? code == 0x80u : magnitude > static_cast<uint32_t>(f.largest)) {
    bits = !f.fnuz && f.overflow == 0x7c && magnitude == 0x7cu ? 0x7f800000u : 0x7fc00000u;
  } else if (exponent == 0) {
    const float value = static_cast<float>(mantissa);
    memcpy(&bits, &value, sizeof bits);
    // mantissa * 2^(1 - bias - mantissa bits), by the exponent field: exact, because the product is normal
    if (mantissa) bits -= static_cast<uint32_t>(f.bias - 1 + f.mantissa) << 23;
  } else {
    bits = (static_cast<uint32_t>(exponent - f.bias + 127) << 23) | (mantissa << (23 - f.mantissa));
  }
  bits |= static_cast<uint32_t>(code & 0x80u) << 24;
  if (f.fnuz && code == 0x80u) bits = 0x7fc00000u;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace aka_fp8

// Conversion functions
static __host__ __device__ inline __hip_fp8_storage_t __hip_cvt_float_to_fp8(
    float x, __hip_saturation_t saturate, __hip_fp8_interpretation_t kind) {
#if defined(__CUDA_ARCH__)
  // The hardware converts to the OCP formats.
  if (kind == __HIP_E4M3 || kind == __HIP_E5M2) {
    return __nv_cvt_float_to_fp8(x, saturate == __HIP_SATFINITE ? __NV_SATFINITE : __NV_NOSAT,
                                 kind == __HIP_E4M3 ? __NV_E4M3 : __NV_E5M2);
  }
#endif
  return aka_fp8::encode(x, saturate == __HIP_SATFINITE, aka_fp8::format(kind));
}
static __host__ __device__ inline __hip_fp8_storage_t __hip_cvt_double_to_fp8(
    double x, __hip_saturation_t saturate, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(static_cast<float>(x), saturate, kind);
}
static __host__ __device__ inline __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(
    __half_raw x, __hip_saturation_t saturate, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
static __host__ __device__ inline __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(
    __hip_bfloat16_raw x, __hip_saturation_t saturate, __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(__bfloat162float(__hip_bfloat16(x)), saturate, kind);
}
static __host__ __device__ inline __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(
    float2 x, __hip_saturation_t saturate, __hip_fp8_interpretation_t kind) {
  const unsigned low = __hip_cvt_float_to_fp8(x.x, saturate, kind);
  const unsigned high = __hip_cvt_float_to_fp8(x.y, saturate, kind);
  return static_cast<__hip_fp8x2_storage_t>(low | high << 8);
}
static __host__ __device__ inline __half_raw __hip_cvt_fp8_to_halfraw(
    __hip_fp8_storage_t x, __hip_fp8_interpretation_t kind) {
  return static_cast<__half_raw>(__float2half(aka_fp8::decode(x, aka_fp8::format(kind))));
}
static __host__ __device__ inline __half2_raw __hip_cvt_fp8x2_to_halfraw2(
    __hip_fp8x2_storage_t x, __hip_fp8_interpretation_t kind) {
  const float low = aka_fp8::decode(static_cast<__hip_fp8_storage_t>(x), aka_fp8::format(kind));
  const float high = aka_fp8::decode(static_cast<__hip_fp8_storage_t>(x >> 8), aka_fp8::format(kind));
  return static_cast<__half2_raw>(__halves2half2(__float2half(low), __float2half(high)));
}

// Types. Numbers become 8-bit values explicitly and saturating, as HIP's do.
#define AKA_FP8(type, kind) \
  struct type { \
    __hip_fp8_storage_t __x; \
    type() = default; \
    __host__ __device__ explicit type(float x) : __x(__hip_cvt_float_to_fp8(x, __HIP_SATFINITE, kind)) {} \
    __host__ __device__ explicit type(double x) : type(static_cast<float>(x)) {} \
    __host__ __device__ explicit type(int x) : type(static_cast<float>(x)) {} \
    __host__ __device__ explicit type(unsigned x) : type(static_cast<float>(x)) {} \
    __host__ __device__ explicit type(__half x) : type(__half2float(x)) {} \
    __host__ __device__ explicit type(__hip_bfloat16 x) : type(__bfloat162float(x)) {} \
    __host__ __device__ operator float() const { return aka_fp8::decode(__x, aka_fp8::format(kind)); } \
    __host__ __device__ explicit operator double() const { return static_cast<float>(*this); } \
    __host__ __device__ explicit operator int() const { return static_cast<int>(static_cast<float>(*this)); } \
    __host__ __device__ explicit operator bool() const { return static_cast<float>(*this) != 0.0f; } \
    __host__ __device__ explicit operator __half() const { return __float2half(static_cast<float>(*this)); } \
    __host__ __device__ explicit operator __hip_bfloat16() const { return __float2bfloat16(static_cast<float>(*this)); } \
  };
AKA_FP8(__hip_fp8_e4m3, __HIP_E4M3)
AKA_FP8(__hip_fp8_e5m2, __HIP_E5M2)
AKA_FP8(__hip_fp8_e4m3_fnuz, __HIP_E4M3_FNUZ)
AKA_FP8(__hip_fp8_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef AKA_FP8

#define AKA_FP8_PACKED(type2, type4, kind) \
  struct type2 { \
    __hip_fp8x2_storage_t __x; \
    type2() = default; \
    __host__ __device__ explicit type2(float2 x) : __x(__hip_cvt_float2_to_fp8x2(x, __HIP_SATFINITE, kind)) {} \
    __host__ __device__ operator float2() const { \
      return make_float2(aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x), aka_fp8::format(kind)), \
                         aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x >> 8), aka_fp8::format(kind))); \
    } \
  }; \
  struct type4 { \
    __hip_fp8x4_storage_t __x; \
    type4() = default; \
    __host__ __device__ explicit type4(float4 x) \
        : __x(type2(make_float2(x.x, x.y)).__x | static_cast<__hip_fp8x4_storage_t>(type2(make_float2(x.z, x.w)).__x) << 16) {} \
    __host__ __device__ operator float4() const { \
      return make_float4(aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x), aka_fp8::format(kind)), \
                         aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x >> 8), aka_fp8::format(kind)), \
                         aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x >> 16), aka_fp8::format(kind)), \
                         aka_fp8::decode(static_cast<__hip_fp8_storage_t>(__x >> 24), aka_fp8::format(kind))); \
    } \
  };
AKA_FP8_PACKED(__hip_fp8x2_e4m3, __hip_fp8x4_e4m3, __HIP_E4M3)
AKA_FP8_PACKED(__hip_fp8x2_e5m2, __hip_fp8x4_e5m2, __HIP_E5M2)
AKA_FP8_PACKED(__hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz, __HIP_E4M3_FNUZ)
AKA_FP8_PACKED(__hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef AKA_FP8_PACKED
