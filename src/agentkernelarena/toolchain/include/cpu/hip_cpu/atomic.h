// Atomic operations on global and shared memory, and fences. All are relaxed, as HIP's.
#pragma once
#include "shared.h"
#include <time.h>

namespace hip_cpu __attribute__((visibility("hidden"))) {
template <class T> struct Same { using type = std::remove_cv_t<T>; };
template <class T> using Value = typename Same<T>::type;  // not deduced: atomicAdd(&an_unsigned, 1) is fine

template <class T, class F> inline Value<T> replace(T* p, F f) {
  Value<T> old, now;
  __atomic_load(const_cast<Value<T>*>(p), &old, __ATOMIC_RELAXED);
  do now = f(old);
  while (!__atomic_compare_exchange(const_cast<Value<T>*>(p), &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
template <class T> constexpr bool is_atomic_integer =
    std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T> constexpr bool is_atomic = is_atomic_integer<std::remove_cv_t<T>> ||
    std::is_floating_point<std::remove_cv_t<T>>::value;
#define HIP_CPU_NEEDS(condition, name) static_assert(condition, name " does not exist for this type")
}  // namespace hip_cpu

template <class T> inline hip_cpu::Value<T> atomicAdd(T* p, hip_cpu::Value<T> v) {
  if constexpr (hip_cpu::is_atomic_integer<std::remove_cv_t<T>>) return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  else return hip_cpu::replace(p, [v](hip_cpu::Value<T> o) { return static_cast<hip_cpu::Value<T>>(o + v); });
}
template <class T> inline hip_cpu::Value<T> atomicSub(T* p, hip_cpu::Value<T> v) {
  if constexpr (hip_cpu::is_atomic_integer<std::remove_cv_t<T>>) return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
  else return hip_cpu::replace(p, [v](hip_cpu::Value<T> o) { return static_cast<hip_cpu::Value<T>>(o - v); });
}
template <class T> inline hip_cpu::Value<T> atomicMin(T* p, hip_cpu::Value<T> v) {
  HIP_CPU_NEEDS(hip_cpu::is_atomic<T>, "atomicMin");
  return hip_cpu::replace(p, [v](hip_cpu::Value<T> o) { return v < o ? v : o; });
}
template <class T> inline hip_cpu::Value<T> atomicMax(T* p, hip_cpu::Value<T> v) {
  HIP_CPU_NEEDS(hip_cpu::is_atomic<T>, "atomicMax");
  return hip_cpu::replace(p, [v](hip_cpu::Value<T> o) { return o < v ? v : o; });
}
template <class T> inline hip_cpu::Value<T> atomicExch(T* p, hip_cpu::Value<T> v) {
  HIP_CPU_NEEDS(hip_cpu::is_atomic<T>, "atomicExch");
  hip_cpu::Value<T> old;
  __atomic_exchange(const_cast<hip_cpu::Value<T>*>(p), &v, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T> inline hip_cpu::Value<T> atomicCAS(T* p, hip_cpu::Value<T> expected, hip_cpu::Value<T> v) {
  HIP_CPU_NEEDS(std::is_integral<T>::value && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8), "atomicCAS");
  __atomic_compare_exchange(const_cast<hip_cpu::Value<T>*>(p), &expected, &v, false, __ATOMIC_RELAXED,
                            __ATOMIC_RELAXED);
  return expected;
}
#define HIP_CPU_BITWISE(name, operation)                                                     \
  template <class T> inline hip_cpu::Value<T> name(T* p, hip_cpu::Value<T> v) {              \
    HIP_CPU_NEEDS(hip_cpu::is_atomic_integer<std::remove_cv_t<T>>, #name);                   \
    return operation(p, v, __ATOMIC_RELAXED);                                                \
  }
HIP_CPU_BITWISE(atomicAnd, __atomic_fetch_and)
HIP_CPU_BITWISE(atomicOr, __atomic_fetch_or)
HIP_CPU_BITWISE(atomicXor, __atomic_fetch_xor)
#undef HIP_CPU_BITWISE
static inline unsigned atomicInc(unsigned* p, unsigned limit) {
  return hip_cpu::replace(p, [limit](unsigned o) { return o >= limit ? 0u : o + 1u; });
}
static inline unsigned atomicDec(unsigned* p, unsigned limit) {
  return hip_cpu::replace(p, [limit](unsigned o) { return o == 0u || o > limit ? limit : o - 1u; });
}
#define HIP_CPU_SCOPES(name)                                                                                        \
  template <class T> inline hip_cpu::Value<T> name##_block(T* p, hip_cpu::Value<T> v) { return name(p, v); }        \
  template <class T> inline hip_cpu::Value<T> name##_system(T* p, hip_cpu::Value<T> v) { return name(p, v); }
HIP_CPU_SCOPES(atomicAdd) HIP_CPU_SCOPES(atomicSub) HIP_CPU_SCOPES(atomicMin) HIP_CPU_SCOPES(atomicMax)
HIP_CPU_SCOPES(atomicExch) HIP_CPU_SCOPES(atomicAnd) HIP_CPU_SCOPES(atomicOr) HIP_CPU_SCOPES(atomicXor)
#undef HIP_CPU_SCOPES
template <class T>
inline hip_cpu::Value<T> atomicCAS_block(T* p, hip_cpu::Value<T> expected, hip_cpu::Value<T> v) {
  return atomicCAS(p, expected, v);
}
template <class T>
inline hip_cpu::Value<T> atomicCAS_system(T* p, hip_cpu::Value<T> expected, hip_cpu::Value<T> v) {
  return atomicCAS(p, expected, v);
}
static inline float atomicAddNoRet(float* p, float v) { return atomicAdd(p, v); }
template <class T> inline hip_cpu::Value<T> unsafeAtomicAdd(T* p, hip_cpu::Value<T> v) { return atomicAdd(p, v); }
template <class T> inline hip_cpu::Value<T> safeAtomicAdd(T* p, hip_cpu::Value<T> v) { return atomicAdd(p, v); }

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

static inline long long wall_clock64() {  // nanoseconds
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}
static inline long long clock64() {
#ifdef __x86_64__
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return wall_clock64();
#endif
}
