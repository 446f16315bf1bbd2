// HIP on NVIDIA GPUs: enough of HIP, over CUDA's own headers, for kernels and their launchers. A wavefront has 32 lanes.
#pragma once
#include <hip/hip_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H
#endif

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  do { \
    kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__); \
  } while (0)

#ifdef __CUDACC__
#include <hip/aka_atomic.h>
#include <hip/aka_wavefront.h>

static __device__ __forceinline__ long long wall_clock64() {
  long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}
static __device__ __forceinline__ unsigned __smid() {
  unsigned multiprocessor;
  asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  return multiprocessor;
}
static __device__ __forceinline__ unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return width >= 32 ? x >> (offset & 31) : (x >> (offset & 31)) & ((1u << width) - 1u);
}

// clang's built-in functions for memory that is used once
#define __builtin_nontemporal_load(pointer) __ldcs(pointer)
#define __builtin_nontemporal_store(value, pointer) __stcs(pointer, value)

template <typename T>
static __global__ void aka_fill(T* words, T value, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) words[i] = value;
}
// Templates, so that a source that never fills by words carries no kernel for it.
#define AKA_FILL(name, word) \
  template <typename Pointer> \
  static cudaError_t name##Async(Pointer destination, word value, size_t count, cudaStream_t stream = nullptr) { \
    if (count == 0) return cudaSuccess; \
    const size_t blocks = (count + 255) / 256; \
    aka_fill<word><<<static_cast<unsigned>(blocks < 4096 ? blocks : 4096), 256, 0, stream>>>( \
        reinterpret_cast<word*>(destination), value, count); \
    return cudaGetLastError(); \
  } \
  template <typename Pointer> \
  static cudaError_t name(Pointer destination, word value, size_t count) { \
    return name##Async(destination, value, count); \
  }
AKA_FILL(hipMemsetD8, unsigned char)
AKA_FILL(hipMemsetD16, unsigned short)
AKA_FILL(hipMemsetD32, int)
#undef AKA_FILL
#endif

#include <hip/hip_vector_types.h>
