// Rounding to and from formats of 16 and 8 bits, for any direction, with one rounding.
#pragma once
#include "atomic.h"
#include "math.h"
#include "vector.h"
#include "wave.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
enum class Round { NEAREST, ZERO, DOWN, UP };

// A binary format: exponent and mantissa bits, exponent bias, code of the largest finite magnitude.
template <int EXPONENT, int MANTISSA, int BIAS, unsigned LARGEST> struct Format {
  static constexpr int mantissa = MANTISSA, emin = 1 - BIAS;
  static constexpr unsigned largest = LARGEST, sign = 1u << (EXPONENT + MANTISSA);
};
using Half = Format<5, 10, 15, 0x7BFF>;
using Brain = Format<8, 7, 127, 0x7F7F>;

// Code of the finite magnitude |x|, rounded; may lie above F::largest, which the caller turns into what overflow gives.
template <class F> inline unsigned magnitude_code(double x, Round way) {
  const double a = std::fabs(x);
  if (a == 0.) return 0;
  int e = std::ilogb(a);
  if (e < F::emin) e = F::emin;
  const double scaled = std::ldexp(a, F::mantissa - e);  // exact
  double r;
  switch (way) {
    case Round::NEAREST: r = std::nearbyint(scaled); break;
    case Round::ZERO: r = std::floor(scaled); break;
    case Round::DOWN: r = std::signbit(x) ? std::ceil(scaled) : std::floor(scaled); break;
    default: r = std::signbit(x) ? std::floor(scaled) : std::ceil(scaled); break;
  }
  const double code = r + std::ldexp(static_cast<double>(e - F::emin), F::mantissa);
  return code > static_cast<double>(F::largest) ? F::largest + 1 : static_cast<unsigned>(code);
}
template <class F> inline double magnitude(unsigned code) {
  const unsigned e = code >> F::mantissa, m = code & ((1u << F::mantissa) - 1);
  if (e == 0) return std::ldexp(static_cast<double>(m), F::emin - F::mantissa);
  return std::ldexp(static_cast<double>(m | 1u << F::mantissa), F::emin - F::mantissa + static_cast<int>(e) - 1);
}

// The 16-bit formats have infinities right above their largest number; NaNs become the quiet one.
template <class F> inline unsigned short encode16(double x, Round way = Round::NEAREST) {
  const unsigned sign = std::signbit(x) ? F::sign : 0;
  const unsigned infinity = F::largest + 1;
  if (x != x) return static_cast<unsigned short>(sign | infinity | 1u << (F::mantissa - 1));
  if (std::isinf(x)) return static_cast<unsigned short>(sign | infinity);
  unsigned code = magnitude_code<F>(x, way);
  const bool towards_zero = way == Round::ZERO || (way == Round::DOWN && !sign) || (way == Round::UP && sign);
  if (code > F::largest) code = towards_zero ? F::largest : infinity;
  return static_cast<unsigned short>(sign | code);
}

inline float decode_half(unsigned short bits) {
#ifdef __FLT16_MANT_DIG__
  return static_cast<float>(same_bits<_Float16>(bits));
#else
  const unsigned code = bits & 0x7FFFu;
  const float v = code > 0x7C00 ? NAN : code == 0x7C00 ? HUGE_VALF : static_cast<float>(magnitude<Half>(code));
  return bits & 0x8000u ? -v : v;
#endif
}
inline unsigned short encode_half(float x) {
#ifdef __FLT16_MANT_DIG__
  return same_bits<unsigned short>(static_cast<_Float16>(x));
#else
  return encode16<Half>(static_cast<double>(x));
#endif
}
inline float decode_brain(unsigned short bits) { return same_bits<float>(static_cast<unsigned>(bits) << 16); }
inline unsigned short encode_brain(float x) {
  const unsigned u = same_bits<unsigned>(x);
  if (x != x) return static_cast<unsigned short>(u >> 16 | 0x40);
  return static_cast<unsigned short>((u + 0x7FFFu + (u >> 16 & 1)) >> 16);
}

// a * b + c of halves rounded once: the product is exact in float, the sum is rounded to odd before the last rounding.
inline float half_fma(float a, float b, float c) {
  const float p = a * b, s = p + c, t = s - p;
  const float error = (p - (s - t)) + (c - t);
  if (error == 0.f || !(std::fabs(s) <= FLT_MAX) || error != error) return s;
  unsigned u = same_bits<unsigned>(s);
  if (!(u & 1)) u += (error > 0.f) == (s > 0.f) ? 1u : ~0u;
  return same_bits<float>(u);
}
template <class T> constexpr bool is_number = std::is_arithmetic<T>::value;
}  // namespace hip_cpu
