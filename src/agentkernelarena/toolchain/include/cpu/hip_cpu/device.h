// What the device says about itself, occupancy, and launches of kernels behind pointers. Included by runtime.h.
#pragma once

struct hipDeviceProp_t {
  char name[256];
  char gcnArchName[256];
  size_t totalGlobalMem, sharedMemPerBlock, maxSharedMemoryPerMultiProcessor, sharedMemPerMultiprocessor, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int clockRate, memoryClockRate, memoryBusWidth, major, minor, multiProcessorCount, l2CacheSize;
  int maxThreadsPerMultiProcessor, computeMode, cooperativeLaunch, integrated, canMapHostMemory, concurrentKernels;
  int managedMemory, unifiedAddressing, pciBusID, pciDeviceID;
};
enum hipDeviceAttribute_t {
  hipDeviceAttributeClockRate,
  hipDeviceAttributeComputeCapabilityMajor,
  hipDeviceAttributeComputeCapabilityMinor,
  hipDeviceAttributeCooperativeLaunch,
  hipDeviceAttributeL2CacheSize,
  hipDeviceAttributeMaxBlockDimX,
  hipDeviceAttributeMaxBlockDimY,
  hipDeviceAttributeMaxBlockDimZ,
  hipDeviceAttributeMaxGridDimX,
  hipDeviceAttributeMaxGridDimY,
  hipDeviceAttributeMaxGridDimZ,
  hipDeviceAttributeMaxRegistersPerBlock,
  hipDeviceAttributeMaxSharedMemoryPerBlock,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
  hipDeviceAttributeMaxThreadsPerBlock,
  hipDeviceAttributeMaxThreadsPerMultiProcessor,
  hipDeviceAttributeMultiprocessorCount,
  hipDeviceAttributeSharedMemPerBlockOptin,
  hipDeviceAttributeTotalConstantMemory,
  hipDeviceAttributeWarpSize
};

static inline hipError_t hipGetDeviceCount(int* n) { *n = 1; return hipSuccess; }
static inline hipError_t hipGetDevice(int* d) { *d = 0; return hipSuccess; }
static inline hipError_t hipSetDevice(int d) { return d == 0 ? hipSuccess : hip_cpu::report(hipErrorInvalidDevice); }
static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) {
  if (d != 0) return hip_cpu::report(hipErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  strcpy(p->name, "CPU");
  strcpy(p->gcnArchName, "cpu");
  size_t available;
  (void)hipMemGetInfo(&available, &p->totalGlobalMem);
  p->sharedMemPerBlock = p->maxSharedMemoryPerMultiProcessor = p->sharedMemPerMultiprocessor = hip_cpu::LDS_BYTES;
  p->totalConstMem = 64 << 10;
  p->regsPerBlock = 65536;
  p->warpSize = HIP_CPU_WAVE;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] = hip_cpu::MAX_THREADS;
  p->maxGridSize[0] = 0x7FFFFFFF;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000;
  p->memoryBusWidth = 64;
  p->major = 9;
  p->multiProcessorCount = hip_cpu::COMPUTE_UNITS;
  p->l2CacheSize = 4 << 20;
  p->maxThreadsPerMultiProcessor = hip_cpu::THREADS_PER_UNIT;
  p->cooperativeLaunch = p->integrated = p->canMapHostMemory = p->managedMemory = p->unifiedAddressing = 1;
  return hipSuccess;
}
static inline hipError_t hipDeviceGetAttribute(int* v, hipDeviceAttribute_t a, int d) {
  hipDeviceProp_t p;
  if (hipError_t e = hipGetDeviceProperties(&p, d)) return e;
  switch (a) {
    case hipDeviceAttributeClockRate: *v = p.clockRate; break;
    case hipDeviceAttributeComputeCapabilityMajor: *v = p.major; break;
    case hipDeviceAttributeComputeCapabilityMinor: *v = p.minor; break;
    case hipDeviceAttributeCooperativeLaunch: *v = 1; break;
    case hipDeviceAttributeL2CacheSize: *v = p.l2CacheSize; break;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
    case hipDeviceAttributeMaxThreadsPerBlock: *v = p.maxThreadsPerBlock; break;
    case hipDeviceAttributeMaxGridDimX: *v = p.maxGridSize[0]; break;
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ: *v = p.maxGridSize[1]; break;
    case hipDeviceAttributeMaxRegistersPerBlock: *v = p.regsPerBlock; break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
    case hipDeviceAttributeSharedMemPerBlockOptin: *v = static_cast<int>(p.sharedMemPerBlock); break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: *v = p.maxThreadsPerMultiProcessor; break;
    case hipDeviceAttributeMultiprocessorCount: *v = p.multiProcessorCount; break;
    case hipDeviceAttributeTotalConstantMemory: *v = static_cast<int>(p.totalConstMem); break;
    case hipDeviceAttributeWarpSize: *v = p.warpSize; break;
    default: return hip_cpu::report(hipErrorInvalidValue);
  }
  return hipSuccess;
}

// ---- functions
enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9
};
enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual };
struct hipFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
};
template <class F> hipError_t hipFuncSetAttribute(F, hipFuncAttribute a, int v) {
  const bool too_large = a == hipFuncAttributeMaxDynamicSharedMemorySize && v > static_cast<int>(hip_cpu::LDS_BYTES);
  return too_large ? hip_cpu::report(hipErrorInvalidValue) : hipSuccess;
}
template <class F> hipError_t hipFuncSetCacheConfig(F, hipFuncCache_t) { return hipSuccess; }
template <class F> hipError_t hipFuncGetAttributes(hipFuncAttributes* a, F) {
  memset(a, 0, sizeof *a);
  a->maxThreadsPerBlock = hip_cpu::MAX_THREADS;
  a->numRegs = 64;
  a->maxDynamicSharedSizeBytes = hip_cpu::LDS_BYTES;
  return hipSuccess;
}
template <class F>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, F, int threads, size_t dynamic_bytes) {
  *n = hip_cpu::blocks_per_unit(threads, dynamic_bytes);
  return hipSuccess;
}
template <class F>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* threads, F, size_t dynamic_bytes = 0, int limit = 0) {
  *threads = limit > 0 && limit < static_cast<int>(hip_cpu::MAX_THREADS) ? limit : static_cast<int>(hip_cpu::MAX_THREADS);
  *grid = hip_cpu::COMPUTE_UNITS * hip_cpu::blocks_per_unit(*threads, dynamic_bytes);
  return hipSuccess;
}

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline bool fits_at_once(dim3 grid, dim3 block, size_t bytes) {
  const int n = blocks_per_unit(static_cast<int>(block.x * block.y * block.z), bytes) * COMPUTE_UNITS;
  return uint64_t(grid.x) * grid.y * grid.z <= static_cast<uint64_t>(n);
}
inline hipError_t launch_erased(const void* f, dim3 grid, dim3 block, void** a, size_t bytes, bool cooperative) {
  const Erased* e = find_erased(f);
  if (!e) {
    fprintf(stderr, "hip_cpu: a launch through a pointer that was not made from a kernel by (void*)kernel\n");
    return report(hipErrorInvalidDeviceFunction);
  }
  const Configuration c(e->name, grid, block, bytes);
  if (cooperative && check(c) == 0 && !fits_at_once(grid, block, bytes))
    return report(hipErrorCooperativeLaunchTooLarge);
  return static_cast<hipError_t>(e->launch(f, c, a, cooperative));
}
}  // namespace hip_cpu
static inline hipError_t hipLaunchKernel(const void* f, dim3 grid, dim3 block, void** a, size_t bytes = 0,
                                         hipStream_t = nullptr) {
  return hip_cpu::launch_erased(f, grid, block, a, bytes, false);
}
static inline hipError_t hipLaunchCooperativeKernel(const void* f, dim3 grid, dim3 block, void** a, unsigned bytes = 0,
                                                    hipStream_t = nullptr) {
  return hip_cpu::launch_erased(f, grid, block, a, bytes, true);
}
template <class... P>
hipError_t hipLaunchKernel(void (*f)(P...), dim3 grid, dim3 block, void** a, size_t bytes = 0, hipStream_t = nullptr) {
  return hip_cpu::launch_erased(hip_cpu::erased("(by pointer)", f), grid, block, a, bytes, false);
}
template <class... P>
hipError_t hipLaunchCooperativeKernel(void (*f)(P...), dim3 grid, dim3 block, void** a, unsigned bytes = 0,
                                      hipStream_t = nullptr) {
  return hip_cpu::launch_erased(hip_cpu::erased("(by pointer)", f), grid, block, a, bytes, true);
}
#ifdef HIP_CPU_ASAN
// For loaders that place buffers themselves: marks the bytes around them.
extern "C" __attribute__((visibility("default"), used)) inline void aka_asan_poison(void* p, size_t n) {
  __asan_poison_memory_region(p, n);
}
extern "C" __attribute__((visibility("default"), used)) inline void aka_asan_unpoison(void* p, size_t n) {
  __asan_unpoison_memory_region(p, n);
}
#endif
