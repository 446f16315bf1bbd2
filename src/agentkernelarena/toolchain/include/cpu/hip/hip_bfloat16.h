// The older bfloat16 type of HIP: a struct around its bits, with arithmetic in float and explicit construction.
#pragma once
#include "hip_runtime.h"
#include "../hip_cpu/small_float.h"

struct hip_bfloat16 {
  unsigned short data;
  enum truncate_t { truncate };
  hip_bfloat16() = default;
  explicit hip_bfloat16(float v) : data(hip_cpu::encode_brain(v)) {}
  explicit hip_bfloat16(float v, truncate_t) : data(static_cast<unsigned short>(__float_as_uint(v) >> 16)) {
    if (v != v) data |= 0x40;
  }
  operator float() const { return hip_cpu::decode_brain(data); }
  static hip_bfloat16 round_to_bfloat16(float v) { return hip_bfloat16(v); }
  static hip_bfloat16 round_to_bfloat16(float v, truncate_t t) { return hip_bfloat16(v, t); }
  hip_bfloat16& operator=(const float& v) { return *this = hip_bfloat16(v); }
  hip_bfloat16& operator=(const hip_bfloat16&) = default;
  hip_bfloat16(const hip_bfloat16&) = default;
#define HIP_CPU_OPERATOR(op)                                                                                     \
  friend hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { return hip_bfloat16(float(a) op float(b)); } \
  hip_bfloat16& operator op##=(hip_bfloat16 b) { return *this = *this op b; }
  HIP_CPU_OPERATOR(+) HIP_CPU_OPERATOR(-) HIP_CPU_OPERATOR(*) HIP_CPU_OPERATOR(/)
#undef HIP_CPU_OPERATOR
#define HIP_CPU_OPERATOR(op) \
  friend bool operator op(hip_bfloat16 a, hip_bfloat16 b) { return float(a) op float(b); }
  HIP_CPU_OPERATOR(==) HIP_CPU_OPERATOR(!=) HIP_CPU_OPERATOR(<) HIP_CPU_OPERATOR(>)
  HIP_CPU_OPERATOR(<=) HIP_CPU_OPERATOR(>=)
#undef HIP_CPU_OPERATOR
  hip_bfloat16 operator+() const { return *this; }
  hip_bfloat16 operator-() const {
    hip_bfloat16 r = *this;
    r.data ^= 0x8000;
    return r;
  }
};
