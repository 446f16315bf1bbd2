// HIP's older bfloat16 class, the same on every platform: 16 bits of storage, arithmetic in single precision,
// every result rounded to nearest even. hip_bf16.h has the newer type with paired arithmetic.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstring>

struct hip_bfloat16 {
  uint16_t data;

  enum truncate_t { truncate };

  hip_bfloat16() = default;
  explicit __host__ __device__ hip_bfloat16(float value) : data(nearest(value)) {}
  explicit __host__ __device__ hip_bfloat16(float value, truncate_t) : data(cut(value)) {}

  __host__ __device__ operator float() const { return from_bits(static_cast<uint32_t>(data) << 16); }

  static __host__ __device__ hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
  static __host__ __device__ hip_bfloat16 round_to_bfloat16(float value, truncate_t) { return hip_bfloat16(value, truncate); }

 private:
  static __host__ __device__ uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static __host__ __device__ float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  static __host__ __device__ uint16_t nearest(float value) {
    const uint32_t bits = to_bits(value);
    // Rounding a NaN could carry into infinity: its upper half is kept, and made quiet.
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  static __host__ __device__ uint16_t cut(float value) {
    const uint32_t bits = to_bits(value);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return static_cast<uint16_t>((bits >> 16) | (nan ? 0x40u : 0u));
  }
};

#define AKA_BFLOAT16_OPERATOR(op) \
  static __host__ __device__ inline hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { \
    return hip_bfloat16(static_cast<float>(a) op static_cast<float>(b)); \
  } \
  static __host__ __device__ inline hip_bfloat16& operator op##=(hip_bfloat16& a, hip_bfloat16 b) { return a = a op b; }
AKA_BFLOAT16_OPERATOR(+)
AKA_BFLOAT16_OPERATOR(-)
AKA_BFLOAT16_OPERATOR(*)
AKA_BFLOAT16_OPERATOR(/)
#undef AKA_BFLOAT16_OPERATOR

#define AKA_BFLOAT16_COMPARISON(op) \
  static __host__ __device__ inline bool operator op(hip_bfloat16 a, hip_bfloat16 b) { \
    return static_cast<float>(a) op static_cast<float>(b); \
  }
AKA_BFLOAT16_COMPARISON(==)
AKA_BFLOAT16_COMPARISON(!=)
AKA_BFLOAT16_COMPARISON(<)
AKA_BFLOAT16_COMPARISON(<=)
AKA_BFLOAT16_COMPARISON(>)
AKA_BFLOAT16_COMPARISON(>=)
#undef AKA_BFLOAT16_COMPARISON

static __host__ __device__ inline hip_bfloat16 operator-(hip_bfloat16 a) {
  a.data ^= 0x8000u;
  return a;
}
