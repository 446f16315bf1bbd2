// The OCP 8-bit formats e4m3 (no infinity, NaN 0x7F, largest 448) and e5m2 (largest 57344), and AMD's older "fnuz"
// ones (one NaN 0x80, no negative zero, bias one higher). Conversions round to nearest even and saturate to the
// largest finite number, infinities included; NaN stays NaN.
#pragma once
#include "hip_runtime.h"
#include "hip_fp16.h"
#include "hip_bf16.h"

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };

namespace hip_cpu __attribute__((visibility("hidden"))) {
using E4M3 = Format<4, 3, 7, 0x7E>;
using E5M2 = Format<5, 2, 15, 0x7B>;
using E4M3Fnuz = Format<4, 3, 8, 0x7F>;
using E5M2Fnuz = Format<5, 2, 16, 0x7F>;

template <class F> inline unsigned char encode8_as(double x, bool saturate, int infinity, int nan, bool fnuz) {
  const unsigned sign = std::signbit(x) ? F::sign : 0;
  const unsigned over = infinity >= 0 ? sign | static_cast<unsigned>(infinity)
                                      : (fnuz ? 0u : sign) | static_cast<unsigned>(nan);
  if (x != x) return static_cast<unsigned char>(fnuz ? 0x80u : sign | static_cast<unsigned>(nan));
  const unsigned code = std::isinf(x) ? F::largest + 1 : magnitude_code<F>(x, Round::NEAREST);
  if (code > F::largest) return static_cast<unsigned char>(saturate ? sign | F::largest : over);
  return static_cast<unsigned char>(fnuz && code == 0 ? 0u : sign | code);
}
inline unsigned char encode8(double x, int format, bool saturate = true) {
  switch (format) {
    case __HIP_E4M3: return encode8_as<E4M3>(x, saturate, -1, 0x7F, false);
    case __HIP_E5M2: return encode8_as<E5M2>(x, saturate, 0x7C, 0x7E, false);
    case __HIP_E4M3_FNUZ: return encode8_as<E4M3Fnuz>(x, saturate, -1, 0x80, true);
    default: return encode8_as<E5M2Fnuz>(x, saturate, -1, 0x80, true);
  }
}
inline float decode8(unsigned char bits, int format) {
  const unsigned code = bits & 0x7Fu;
  double v;
  switch (format) {
    case __HIP_E4M3: v = code == 0x7F ? NAN : magnitude<E4M3>(code); break;
    case __HIP_E5M2: v = code > 0x7C ? NAN : code == 0x7C ? HUGE_VAL : magnitude<E5M2>(code); break;
    case __HIP_E4M3_FNUZ: v = bits == 0x80 ? NAN : magnitude<E4M3Fnuz>(code); break;
    default: v = bits == 0x80 ? NAN : magnitude<E5M2Fnuz>(code); break;
  }
  return static_cast<float>(bits & 0x80u ? -v : v);
}
}  // namespace hip_cpu

#define HIP_CPU_FP8(name, pair, quad, FORMAT)                                                                       \
  struct name {                                                                                                     \
    __hip_fp8_storage_t __x;                                                                                        \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;                                     \
    static constexpr __hip_fp8_interpretation_t __default_interpret = FORMAT;                                       \
    name() = default;                                                                                               \
    template <class T, class = std::enable_if_t<hip_cpu::is_number<T>>>                                             \
    explicit name(T v) : __x(hip_cpu::encode8(static_cast<double>(v), FORMAT)) {}                                   \
    explicit name(__half v) : __x(hip_cpu::encode8(float(v), FORMAT)) {}                                            \
    explicit name(__hip_bfloat16 v) : __x(hip_cpu::encode8(float(v), FORMAT)) {}                                    \
    operator float() const { return hip_cpu::decode8(__x, FORMAT); }                                                \
    explicit operator __half() const { return __half(float(*this)); }                                               \
    explicit operator __hip_bfloat16() const { return __hip_bfloat16(float(*this)); }                               \
  };                                                                                                                \
  struct pair {                                                                                                     \
    __hip_fp8x2_storage_t __x;                                                                                      \
    pair() = default;                                                                                               \
    explicit pair(float2 v)                                                                                         \
        : __x(static_cast<__hip_fp8x2_storage_t>(hip_cpu::encode8(v.x, FORMAT) | hip_cpu::encode8(v.y, FORMAT) << 8)) {} \
    explicit pair(__half2 v) : pair(__half22float2(v)) {}                                                           \
    explicit pair(__hip_bfloat162 v) : pair(__bfloat1622float2(v)) {}                                               \
    operator float2() const {                                                                                       \
      return make_float2(hip_cpu::decode8(static_cast<unsigned char>(__x), FORMAT),                                 \
                         hip_cpu::decode8(static_cast<unsigned char>(__x >> 8), FORMAT));                           \
    }                                                                                                               \
  };                                                                                                                \
  struct quad {                                                                                                     \
    __hip_fp8x4_storage_t __x;                                                                                      \
    quad() = default;                                                                                               \
    explicit quad(float4 v) : __x(0) {                                                                              \
      for (unsigned i = 0; i < 4; ++i) __x |= static_cast<unsigned>(hip_cpu::encode8(v[i], FORMAT)) << 8 * i;       \
    }                                                                                                               \
    operator float4() const {                                                                                       \
      float4 r;                                                                                                     \
      for (unsigned i = 0; i < 4; ++i) r[i] = hip_cpu::decode8(static_cast<unsigned char>(__x >> 8 * i), FORMAT);   \
      return r;                                                                                                     \
    }                                                                                                               \
  };
HIP_CPU_FP8(__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3, __HIP_E4M3)
HIP_CPU_FP8(__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2, __HIP_E5M2)
HIP_CPU_FP8(__hip_fp8_e4m3_fnuz, __hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz, __HIP_E4M3_FNUZ)
HIP_CPU_FP8(__hip_fp8_e5m2_fnuz, __hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef HIP_CPU_FP8

static inline __hip_fp8_storage_t __hip_cvt_float_to_fp8(float f, __hip_saturation_t s, __hip_fp8_interpretation_t i) {
  return hip_cpu::encode8(f, i, s == __HIP_SATFINITE);
}
static inline __hip_fp8_storage_t __hip_cvt_double_to_fp8(double f, __hip_saturation_t s, __hip_fp8_interpretation_t i) {
  return hip_cpu::encode8(f, i, s == __HIP_SATFINITE);
}
static inline __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 f, __hip_saturation_t s,
                                                              __hip_fp8_interpretation_t i) {
  return static_cast<__hip_fp8x2_storage_t>(__hip_cvt_float_to_fp8(f.x, s, i) | __hip_cvt_float_to_fp8(f.y, s, i) << 8);
}
static inline __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x, __hip_fp8_interpretation_t i) {
  return {__half_as_ushort(__half(hip_cpu::decode8(x, i)))};
}
