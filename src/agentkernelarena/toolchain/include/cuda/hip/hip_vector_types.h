// Arithmetic on float4, int2 and their kind, element by element, as HIP's vector types have it. CUDA's have none.
// The operators are templates, so that one that a source defines for itself is preferred.
#pragma once
#include <cuda_runtime.h>

#include <type_traits>

namespace aka_vector {

template <typename V>
struct Shape {
  static constexpr int size = 0;
};
template <typename T, int n>
struct Of;

#define AKA_SHAPE(type, element, n) \
  template <> \
  struct Shape<type> { \
    using Element = element; \
    static constexpr int size = n; \
  }; \
  template <> \
  struct Of<element, n> { \
    using Type = type; \
  };
#define AKA_SHAPES(name, element) \
  AKA_SHAPE(name##1, element, 1) \
  AKA_SHAPE(name##2, element, 2) \
  AKA_SHAPE(name##3, element, 3) \
  AKA_SHAPE(name##4, element, 4)
AKA_SHAPES(char, signed char)
AKA_SHAPES(uchar, unsigned char)
AKA_SHAPES(short, short)
AKA_SHAPES(ushort, unsigned short)
AKA_SHAPES(int, int)
AKA_SHAPES(uint, unsigned int)
AKA_SHAPES(long, long)
AKA_SHAPES(ulong, unsigned long)
AKA_SHAPES(longlong, long long)
AKA_SHAPES(ulonglong, unsigned long long)
AKA_SHAPES(float, float)
AKA_SHAPES(double, double)
#undef AKA_SHAPES
#undef AKA_SHAPE

template <typename V>
using Element = typename Shape<V>::Element;
template <typename V, typename R>
using Vector = std::enable_if_t<(Shape<V>::size > 0), R>;
template <typename V, typename S, typename R>
using VectorScalar = std::enable_if_t<(Shape<V>::size > 0) && std::is_arithmetic<S>::value, R>;

template <typename V>
__host__ __device__ __forceinline__ bool equal(const V& a, const V& b) {
  bool same = a.x == b.x;
  if constexpr (Shape<V>::size > 1) same = same && a.y == b.y;
  if constexpr (Shape<V>::size > 2) same = same && a.z == b.z;
  if constexpr (Shape<V>::size > 3) same = same && a.w == b.w;
  return same;
}

}  // namespace aka_vector

template <typename T, unsigned n>
using HIP_vector_type = typename aka_vector::Of<T, n>::Type;

#define AKA_BINARY(op) \
  template <typename V> \
  __host__ __device__ __forceinline__ aka_vector::Vector<V, V> operator op(const V& a, const V& b) { \
    V v; \
    v.x = static_cast<aka_vector::Element<V>>(a.x op b.x); \
    if constexpr (aka_vector::Shape<V>::size > 1) v.y = static_cast<aka_vector::Element<V>>(a.y op b.y); \
    if constexpr (aka_vector::Shape<V>::size > 2) v.z = static_cast<aka_vector::Element<V>>(a.z op b.z); \
    if constexpr (aka_vector::Shape<V>::size > 3) v.w = static_cast<aka_vector::Element<V>>(a.w op b.w); \
    return v; \
  } \
  template <typename V, typename S> \
  __host__ __device__ __forceinline__ aka_vector::VectorScalar<V, S, V> operator op(const V& a, S s) { \
    return a op aka_broadcast<V>(s); \
  } \
  template <typename V, typename S> \
  __host__ __device__ __forceinline__ aka_vector::VectorScalar<V, S, V> operator op(S s, const V& b) { \
    return aka_broadcast<V>(s) op b; \
  } \
  template <typename V> \
  __host__ __device__ __forceinline__ aka_vector::Vector<V, V&> operator op##=(V& a, const V& b) { \
    return a = a op b; \
  } \
  template <typename V, typename S> \
  __host__ __device__ __forceinline__ aka_vector::VectorScalar<V, S, V&> operator op##=(V& a, S s) { \
    return a = a op aka_broadcast<V>(s); \
  }

template <typename V, typename S>
__host__ __device__ __forceinline__ V aka_broadcast(S s) {
  const auto element = static_cast<aka_vector::Element<V>>(s);
  V v;
  v.x = element;
  if constexpr (aka_vector::Shape<V>::size > 1) v.y = element;
  if constexpr (aka_vector::Shape<V>::size > 2) v.z = element;
  if constexpr (aka_vector::Shape<V>::size > 3) v.w = element;
  return v;
}

AKA_BINARY(+)
AKA_BINARY(-)
AKA_BINARY(*)
AKA_BINARY(/)
AKA_BINARY(%)
AKA_BINARY(&)
AKA_BINARY(|)
AKA_BINARY(^)
AKA_BINARY(<<)
AKA_BINARY(>>)
#undef AKA_BINARY

template <typename V>
__host__ __device__ __forceinline__ aka_vector::Vector<V, V> operator-(const V& a) {
  V v;
  v.x = static_cast<aka_vector::Element<V>>(-a.x);
  if constexpr (aka_vector::Shape<V>::size > 1) v.y = static_cast<aka_vector::Element<V>>(-a.y);
  if constexpr (aka_vector::Shape<V>::size > 2) v.z = static_cast<aka_vector::Element<V>>(-a.z);
  if constexpr (aka_vector::Shape<V>::size > 3) v.w = static_cast<aka_vector::Element<V>>(-a.w);
  return v;
}
template <typename V>
__host__ __device__ __forceinline__ aka_vector::Vector<V, V> operator+(const V& a) {
  return a;
}
template <typename V>
__host__ __device__ __forceinline__ aka_vector::Vector<V, bool> operator==(const V& a, const V& b) {
  return aka_vector::equal(a, b);
}
template <typename V>
__host__ __device__ __forceinline__ aka_vector::Vector<V, bool> operator!=(const V& a, const V& b) {
  return !aka_vector::equal(a, b);
}
