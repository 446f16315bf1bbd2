// dim3 and HIP's vector types: T1 to T4 with x, y, z, w, make_T*, and element-wise operators.
#pragma once
#include "build.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
template <class T, unsigned N> struct Elements;
template <class T> struct Elements<T, 1> { T x; };
template <class T> struct alignas(2 * sizeof(T)) Elements<T, 2> { T x, y; };
template <class T> struct Elements<T, 3> { T x, y, z; };
template <class T> struct alignas(4 * sizeof(T)) Elements<T, 4> { T x, y, z, w; };
}  // namespace hip_cpu

template <class T, unsigned N> struct HIP_vector_type : hip_cpu::Elements<T, N> {
  using value_type = T;
  HIP_vector_type() = default;
  template <class U, class = std::enable_if_t<std::is_convertible<U, T>::value>>
  explicit constexpr HIP_vector_type(U a) : hip_cpu::Elements<T, N>{} {
    for (unsigned i = 0; i < N; ++i) (*this)[i] = static_cast<T>(a);
  }
  template <class... U, class = std::enable_if_t<(sizeof...(U) == N && N > 1)>>
  constexpr HIP_vector_type(U... a) : hip_cpu::Elements<T, N>{static_cast<T>(a)...} {}
  constexpr T& operator[](unsigned i) {
    if constexpr (N > 1) if (i == 1) return this->y;
    if constexpr (N > 2) if (i == 2) return this->z;
    if constexpr (N > 3) if (i == 3) return this->w;
    return this->x;
  }
  constexpr const T& operator[](unsigned i) const { return const_cast<HIP_vector_type&>(*this)[i]; }
  HIP_vector_type operator-() const { return map([](T a) { return static_cast<T>(-a); }); }
  HIP_vector_type operator~() const { return map([](T a) { return static_cast<T>(~a); }); }
  HIP_vector_type& operator++() { return *this += HIP_vector_type(T(1)); }
  HIP_vector_type& operator--() { return *this -= HIP_vector_type(T(1)); }
  template <class F> HIP_vector_type map(F f) const {
    HIP_vector_type r;
    for (unsigned i = 0; i < N; ++i) r[i] = f((*this)[i]);
    return r;
  }
#define HIP_CPU_OPERATOR(op)                                                                              \
  HIP_vector_type& operator op##=(const HIP_vector_type& b) {                                             \
    for (unsigned i = 0; i < N; ++i) (*this)[i] = static_cast<T>((*this)[i] op b[i]);                     \
    return *this;                                                                                         \
  }                                                                                                       \
  HIP_vector_type& operator op##=(T b) { return *this op##= HIP_vector_type(b); }                         \
  friend HIP_vector_type operator op(HIP_vector_type a, const HIP_vector_type& b) { return a op##= b; }   \
  friend HIP_vector_type operator op(HIP_vector_type a, T b) { return a op##= HIP_vector_type(b); }       \
  friend HIP_vector_type operator op(T a, const HIP_vector_type& b) { return HIP_vector_type(a) op##= b; }
  HIP_CPU_OPERATOR(+) HIP_CPU_OPERATOR(-) HIP_CPU_OPERATOR(*) HIP_CPU_OPERATOR(/) HIP_CPU_OPERATOR(%)
  HIP_CPU_OPERATOR(&) HIP_CPU_OPERATOR(|) HIP_CPU_OPERATOR(^) HIP_CPU_OPERATOR(<<) HIP_CPU_OPERATOR(>>)
#undef HIP_CPU_OPERATOR
  friend bool operator==(const HIP_vector_type& a, const HIP_vector_type& b) {
    bool same = true;
    for (unsigned i = 0; i < N; ++i) same = same && a[i] == b[i];
    return same;
  }
  friend bool operator!=(const HIP_vector_type& a, const HIP_vector_type& b) { return !(a == b); }
};

#define HIP_CPU_VECTOR(T, name)                                                           \
  typedef HIP_vector_type<T, 1> name##1;                                                  \
  typedef HIP_vector_type<T, 2> name##2;                                                  \
  typedef HIP_vector_type<T, 3> name##3;                                                  \
  typedef HIP_vector_type<T, 4> name##4;                                                  \
  static inline name##1 make_##name##1(T x) { return name##1(x); }                        \
  static inline name##2 make_##name##2(T x, T y) { return name##2(x, y); }                \
  static inline name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); }        \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
HIP_CPU_VECTOR(signed char, char)
HIP_CPU_VECTOR(unsigned char, uchar)
HIP_CPU_VECTOR(short, short)
HIP_CPU_VECTOR(unsigned short, ushort)
HIP_CPU_VECTOR(int, int)
HIP_CPU_VECTOR(unsigned int, uint)
HIP_CPU_VECTOR(long, long)
HIP_CPU_VECTOR(unsigned long, ulong)
HIP_CPU_VECTOR(long long, longlong)
HIP_CPU_VECTOR(unsigned long long, ulonglong)
HIP_CPU_VECTOR(float, float)
HIP_CPU_VECTOR(double, double)
#undef HIP_CPU_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
};

namespace hip_cpu __attribute__((visibility("hidden"))) {
struct Index { unsigned x, y, z; operator dim3() const { return dim3(x, y, z); } operator uint3() const { return uint3(x, y, z); } };
}  // namespace hip_cpu
