// Wavefront operations of HIP on NVIDIA's warps of 32 lanes.
//
// HIP's functions without a mask let the active lanes take part. A shuffle here names all 32 lanes, so that lanes which
// the compiler let drift apart meet again; lanes that have returned do not count. In a branch that only some lanes take,
// use the _sync form with that branch's mask. Votes ask the lanes that are active at that point, as on AMD.
#pragma once
#include <type_traits>

template <typename T>
__device__ __forceinline__ T __shfl(T value, int lane, int width = 32) {
  return static_cast<T>(__shfl_sync(0xffffffffu, value, lane, width));
}
template <typename T>
__device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = 32) {
  return static_cast<T>(__shfl_up_sync(0xffffffffu, value, delta, width));
}
template <typename T>
__device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = 32) {
  return static_cast<T>(__shfl_down_sync(0xffffffffu, value, delta, width));
}
template <typename T>
__device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32) {
  return static_cast<T>(__shfl_xor_sync(0xffffffffu, value, mask, width));
}

static __device__ __forceinline__ int aka_any(int predicate) { return __any_sync(__activemask(), predicate); }
static __device__ __forceinline__ int aka_all(int predicate) { return __all_sync(__activemask(), predicate); }
static __device__ __forceinline__ unsigned long long aka_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
// Macros, because CUDA still declares functions of these names, which no current GPU can run. Without parameters, so
// that the unrelated names of the same spelling in CUDA's C++ library are renamed wherever they stand.
#define __any aka_any
#define __all aka_all
#define __ballot aka_ballot

// HIP's masks have 64 bits; their upper half names no lane here. These take part in overload resolution for such masks only.
#define AKA_WIDE_MASK(Mask) std::enable_if_t<std::is_integral<Mask>::value && sizeof(Mask) == 8, int> = 0
template <typename Mask, typename T, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ T __shfl_sync(Mask mask, T value, int lane, int width = 32) {
  return static_cast<T>(__shfl_sync(static_cast<unsigned>(mask), value, lane, width));
}
template <typename Mask, typename T, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ T __shfl_up_sync(Mask mask, T value, unsigned delta, int width = 32) {
  return static_cast<T>(__shfl_up_sync(static_cast<unsigned>(mask), value, delta, width));
}
template <typename Mask, typename T, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ T __shfl_down_sync(Mask mask, T value, unsigned delta, int width = 32) {
  return static_cast<T>(__shfl_down_sync(static_cast<unsigned>(mask), value, delta, width));
}
template <typename Mask, typename T, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ T __shfl_xor_sync(Mask mask, T value, int lanes, int width = 32) {
  return static_cast<T>(__shfl_xor_sync(static_cast<unsigned>(mask), value, lanes, width));
}
template <typename Mask, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ int __any_sync(Mask mask, int predicate) {
  return __any_sync(static_cast<unsigned>(mask), predicate);
}
template <typename Mask, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ int __all_sync(Mask mask, int predicate) {
  return __all_sync(static_cast<unsigned>(mask), predicate);
}
template <typename Mask, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ unsigned long long __ballot_sync(Mask mask, int predicate) {
  return __ballot_sync(static_cast<unsigned>(mask), predicate);
}
template <typename Mask, AKA_WIDE_MASK(Mask)>
__device__ __forceinline__ void __syncwarp(Mask mask) {
  __syncwarp(static_cast<unsigned>(mask));
}
#undef AKA_WIDE_MASK

static __device__ __forceinline__ unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
