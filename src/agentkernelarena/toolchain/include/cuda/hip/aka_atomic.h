// Atomic operations that HIP has and CUDA has not, or has under another name.
#pragma once
#include <type_traits>

// `unsigned long` has 64 bits, as `unsigned long long`, and is a type of its own: size_t and uint64_t are it.
#define AKA_UNSIGNED_LONG(name) \
  static __device__ __forceinline__ unsigned long name(unsigned long* address, unsigned long value) { \
    return name(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)); \
  }
AKA_UNSIGNED_LONG(atomicAdd)
AKA_UNSIGNED_LONG(atomicMin)
AKA_UNSIGNED_LONG(atomicMax)
AKA_UNSIGNED_LONG(atomicAnd)
AKA_UNSIGNED_LONG(atomicOr)
AKA_UNSIGNED_LONG(atomicXor)
AKA_UNSIGNED_LONG(atomicExch)
#undef AKA_UNSIGNED_LONG
static __device__ __forceinline__ unsigned long atomicCAS(unsigned long* address, unsigned long expected, unsigned long value) {
  return atomicCAS(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(expected),
                   static_cast<unsigned long long>(value));
}

static __device__ __forceinline__ unsigned long long atomicSub(unsigned long long* address, unsigned long long value) {
  return atomicAdd(address, 0ull - value);
}
static __device__ __forceinline__ unsigned long atomicSub(unsigned long* address, unsigned long value) {
  return atomicAdd(address, 0ul - value);
}
static __device__ __forceinline__ float atomicSub(float* address, float value) { return atomicAdd(address, -value); }
static __device__ __forceinline__ double atomicSub(double* address, double value) { return atomicAdd(address, -value); }

static __device__ __forceinline__ float atomicCAS(float* address, float expected, float value) {
  return __uint_as_float(
      atomicCAS(reinterpret_cast<unsigned*>(address), __float_as_uint(expected), __float_as_uint(value)));
}
static __device__ __forceinline__ double atomicCAS(double* address, double expected, double value) {
  return __longlong_as_double(static_cast<long long>(
      atomicCAS(reinterpret_cast<unsigned long long*>(address),
                static_cast<unsigned long long>(__double_as_longlong(expected)),
                static_cast<unsigned long long>(__double_as_longlong(value)))));
}

// Minimum and maximum of floating-point numbers; the loop ends at once where memory already holds a better value.
#define AKA_EXTREME(name, type, better) \
  static __device__ __forceinline__ type name(type* address, type value) { \
    type seen = *const_cast<volatile type*>(address); \
    while (value better seen || seen != seen) { \
      const type found = atomicCAS(address, seen, value); \
      if (aka_same_bits(found, seen)) return found; \
      seen = found; \
    } \
    return seen; \
  }
static __device__ __forceinline__ bool aka_same_bits(float a, float b) { return __float_as_uint(a) == __float_as_uint(b); }
static __device__ __forceinline__ bool aka_same_bits(double a, double b) {
  return __double_as_longlong(a) == __double_as_longlong(b);
}
AKA_EXTREME(atomicMin, float, <)
AKA_EXTREME(atomicMax, float, >)
AKA_EXTREME(atomicMin, double, <)
AKA_EXTREME(atomicMax, double, >)
#undef AKA_EXTREME

// On AMD these choose between hardware floating-point atomics and a loop; there is no such choice here.
template <typename T>
__device__ __forceinline__ T unsafeAtomicAdd(T* address, T value) { return atomicAdd(address, value); }
template <typename T>
__device__ __forceinline__ T safeAtomicAdd(T* address, T value) { return atomicAdd(address, value); }
template <typename T>
__device__ __forceinline__ T unsafeAtomicMin(T* address, T value) { return atomicMin(address, value); }
template <typename T>
__device__ __forceinline__ T unsafeAtomicMax(T* address, T value) { return atomicMax(address, value); }
template <typename T>
__device__ __forceinline__ T safeAtomicMin(T* address, T value) { return atomicMin(address, value); }
template <typename T>
__device__ __forceinline__ T safeAtomicMax(T* address, T value) { return atomicMax(address, value); }
template <typename T>
__device__ __forceinline__ T atomicAddNoRet(T* address, T value) { return atomicAdd(address, value); }

// clang's scoped atomics. A wavefront has no scope of its own in CUDA: the block's is the next wider one.
#define __HIP_MEMORY_SCOPE_SINGLETHREAD __NV_THREAD_SCOPE_THREAD
#define __HIP_MEMORY_SCOPE_WAVEFRONT __NV_THREAD_SCOPE_BLOCK
#define __HIP_MEMORY_SCOPE_WORKGROUP __NV_THREAD_SCOPE_BLOCK
#define __HIP_MEMORY_SCOPE_AGENT __NV_THREAD_SCOPE_DEVICE
#define __HIP_MEMORY_SCOPE_SYSTEM __NV_THREAD_SCOPE_SYSTEM
#define __hip_atomic_load(address, order, scope) __nv_atomic_load_n(address, order, scope)
#define __hip_atomic_store(address, value, order, scope) __nv_atomic_store_n(address, value, order, scope)
#define __hip_atomic_exchange(address, value, order, scope) __nv_atomic_exchange_n(address, value, order, scope)
#define __hip_atomic_compare_exchange_strong(address, expected, value, success, failure, scope) \
  __nv_atomic_compare_exchange_n(address, expected, value, false, success, failure, scope)
#define __hip_atomic_compare_exchange_weak(address, expected, value, success, failure, scope) \
  __nv_atomic_compare_exchange_n(address, expected, value, true, success, failure, scope)
#define __hip_atomic_fetch_add(address, value, order, scope) __nv_atomic_fetch_add(address, value, order, scope)
#define __hip_atomic_fetch_min(address, value, order, scope) __nv_atomic_fetch_min(address, value, order, scope)
#define __hip_atomic_fetch_max(address, value, order, scope) __nv_atomic_fetch_max(address, value, order, scope)
#define __hip_atomic_fetch_and(address, value, order, scope) __nv_atomic_fetch_and(address, value, order, scope)
#define __hip_atomic_fetch_or(address, value, order, scope) __nv_atomic_fetch_or(address, value, order, scope)
#define __hip_atomic_fetch_xor(address, value, order, scope) __nv_atomic_fetch_xor(address, value, order, scope)
