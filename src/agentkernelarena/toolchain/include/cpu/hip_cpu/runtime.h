// The host side: errors, memory, streams, events, devices, occupancy and typed launches. Everything is synchronous,
// host and device memory are the same.
#pragma once
#include "atomic.h"
#include "launch.h"

enum hipError_t : int {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999
};

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline hipError_t report(int error) { return static_cast<hipError_t>(failed(error)); }
constexpr int COMPUTE_UNITS = 4;
constexpr int THREADS_PER_UNIT = 2048;
inline int blocks_per_unit(int threads, size_t bytes) {
  if (threads < 1 || threads > static_cast<int>(MAX_THREADS) || bytes > LDS_BYTES) return 0;
  const int waves = (threads + static_cast<int>(WAVE) - 1) / static_cast<int>(WAVE);
  int n = THREADS_PER_UNIT / static_cast<int>(WAVE) / waves;
  if (bytes) n = min(n, static_cast<int>(LDS_BYTES / bytes));
  return min(n, 32);
}
}  // namespace hip_cpu

static inline hipError_t hipGetLastError() {
  const int e = hip_cpu::last_error;
  hip_cpu::last_error = 0;
  return static_cast<hipError_t>(e);
}
static inline hipError_t hipPeekAtLastError() { return static_cast<hipError_t>(hip_cpu::last_error); }
static inline const char* hipGetErrorName(hipError_t e) {
  switch (e) {
    case hipSuccess: return "hipSuccess";
    case hipErrorInvalidValue: return "hipErrorInvalidValue";
    case hipErrorOutOfMemory: return "hipErrorOutOfMemory";
    case hipErrorNotInitialized: return "hipErrorNotInitialized";
    case hipErrorInvalidConfiguration: return "hipErrorInvalidConfiguration";
    case hipErrorInvalidSymbol: return "hipErrorInvalidSymbol";
    case hipErrorInvalidMemcpyDirection: return "hipErrorInvalidMemcpyDirection";
    case hipErrorInvalidDeviceFunction: return "hipErrorInvalidDeviceFunction";
    case hipErrorNoDevice: return "hipErrorNoDevice";
    case hipErrorInvalidDevice: return "hipErrorInvalidDevice";
    case hipErrorInvalidHandle: return "hipErrorInvalidHandle";
    case hipErrorNotFound: return "hipErrorNotFound";
    case hipErrorNotReady: return "hipErrorNotReady";
    case hipErrorLaunchOutOfResources: return "hipErrorLaunchOutOfResources";
    case hipErrorLaunchFailure: return "hipErrorLaunchFailure";
    case hipErrorCooperativeLaunchTooLarge: return "hipErrorCooperativeLaunchTooLarge";
    case hipErrorNotSupported: return "hipErrorNotSupported";
    default: return "hipErrorUnknown";
  }
}
static inline const char* hipGetErrorString(hipError_t e) { return hipGetErrorName(e); }

// ---- memory
enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
};
enum : unsigned {
  hipHostMallocDefault = 0,
  hipHostMallocPortable = 1,
  hipHostMallocMapped = 2,
  hipMemAttachGlobal = 1,
  hipStreamDefault = 0,
  hipStreamNonBlocking = 1,
  hipEventDefault = 0,
  hipEventBlockingSync = 1,
  hipEventDisableTiming = 2
};
typedef void* hipDeviceptr_t;

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline hipError_t allocate(void** p, size_t bytes) {
  if (!p) return report(hipErrorInvalidValue);
  *p = nullptr;
  if (bytes == 0) return hipSuccess;
  return posix_memalign(p, 256, bytes) ? report(hipErrorOutOfMemory) : hipSuccess;
}
inline hipError_t copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return hipSuccess;
  if (!to || !from) return report(hipErrorInvalidValue);
  memmove(to, from, bytes);
  return hipSuccess;
}
template <class T> inline void fill(void* p, T v, size_t n) {
  for (size_t i = 0; i < n; ++i) static_cast<T*>(p)[i] = v;
}
}  // namespace hip_cpu

template <class T> hipError_t hipMalloc(T** p, size_t n) { return hip_cpu::allocate(reinterpret_cast<void**>(p), n); }
template <class T> hipError_t hipMallocAsync(T** p, size_t n, hipStream_t) { return hipMalloc(p, n); }
template <class T> hipError_t hipMallocManaged(T** p, size_t n, unsigned = 1) { return hipMalloc(p, n); }
template <class T> hipError_t hipHostMalloc(T** p, size_t n, unsigned = 0) { return hipMalloc(p, n); }
template <class T> hipError_t hipMallocHost(T** p, size_t n) { return hipMalloc(p, n); }
template <class T> hipError_t hipMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 255) & ~size_t(255);
  return hipMalloc(p, *pitch * height);
}
static inline hipError_t hipFree(void* p) { free(p); return hipSuccess; }
static inline hipError_t hipFreeAsync(void* p, hipStream_t) { free(p); return hipSuccess; }
static inline hipError_t hipHostFree(void* p) { free(p); return hipSuccess; }
static inline hipError_t hipMemcpy(void* d, const void* s, size_t n, hipMemcpyKind) { return hip_cpu::copy(d, s, n); }
static inline hipError_t hipMemcpyAsync(void* d, const void* s, size_t n, hipMemcpyKind, hipStream_t = nullptr) {
  return hip_cpu::copy(d, s, n);
}
static inline hipError_t hipMemcpyDtoD(void* d, void* s, size_t n) { return hip_cpu::copy(d, s, n); }
static inline hipError_t hipMemcpyHtoD(void* d, void* s, size_t n) { return hip_cpu::copy(d, s, n); }
static inline hipError_t hipMemcpyDtoH(void* d, void* s, size_t n) { return hip_cpu::copy(d, s, n); }
static inline hipError_t hipMemcpy2D(void* d, size_t d_pitch, const void* s, size_t s_pitch, size_t width,
                                     size_t height, hipMemcpyKind) {
  if (width > d_pitch || width > s_pitch) return hip_cpu::report(hipErrorInvalidValue);
  for (size_t i = 0; i < height; ++i)
    memmove(static_cast<char*>(d) + i * d_pitch, static_cast<const char*>(s) + i * s_pitch, width);
  return hipSuccess;
}
static inline hipError_t hipMemcpy2DAsync(void* d, size_t d_pitch, const void* s, size_t s_pitch, size_t width,
                                          size_t height, hipMemcpyKind k, hipStream_t = nullptr) {
  return hipMemcpy2D(d, d_pitch, s, s_pitch, width, height, k);
}
static inline hipError_t hipMemset(void* p, int v, size_t n) {
  if (n && !p) return hip_cpu::report(hipErrorInvalidValue);
  if (n) memset(p, v, n);
  return hipSuccess;
}
static inline hipError_t hipMemsetAsync(void* p, int v, size_t n, hipStream_t = nullptr) { return hipMemset(p, v, n); }
static inline hipError_t hipMemset2DAsync(void* p, size_t pitch, int v, size_t w, size_t h, hipStream_t = nullptr) {
  for (size_t i = 0; i < h; ++i) memset(static_cast<char*>(p) + i * pitch, v, w);
  return hipSuccess;
}
static inline hipError_t hipMemsetD32Async(hipDeviceptr_t p, int v, size_t n, hipStream_t = nullptr) {
  hip_cpu::fill(p, v, n);
  return hipSuccess;
}
static inline hipError_t hipMemsetD32(hipDeviceptr_t p, int v, size_t n) { return hipMemsetD32Async(p, v, n); }
static inline hipError_t hipMemsetD16Async(hipDeviceptr_t p, unsigned short v, size_t n, hipStream_t = nullptr) {
  hip_cpu::fill(p, v, n);
  return hipSuccess;
}
static inline hipError_t hipMemsetD8Async(hipDeviceptr_t p, unsigned char v, size_t n, hipStream_t = nullptr) {
  hip_cpu::fill(p, v, n);
  return hipSuccess;
}
static inline hipError_t hipMemGetInfo(size_t* available, size_t* total) {
  const size_t page = hip_cpu::StackPool::page();
  *available = static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  *total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  return hipSuccess;
}

// Symbols are the variables themselves.
template <class T>
hipError_t hipMemcpyToSymbol(T& symbol, const void* from, size_t n, size_t offset = 0,
                             hipMemcpyKind = hipMemcpyHostToDevice) {
  if (offset + n > sizeof(T)) return hip_cpu::report(hipErrorInvalidValue);
  return hip_cpu::copy(reinterpret_cast<char*>(const_cast<std::remove_cv_t<T>*>(&symbol)) + offset, from, n);
}
template <class T>
hipError_t hipMemcpyToSymbolAsync(T& symbol, const void* from, size_t n, size_t offset, hipMemcpyKind k,
                                  hipStream_t = nullptr) {
  return hipMemcpyToSymbol(symbol, from, n, offset, k);
}
template <class T>
hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t n, size_t offset = 0,
                               hipMemcpyKind = hipMemcpyDeviceToHost) {
  if (offset + n > sizeof(T)) return hip_cpu::report(hipErrorInvalidValue);
  return hip_cpu::copy(to, reinterpret_cast<const char*>(&symbol) + offset, n);
}
template <class T>
hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, size_t n, size_t offset, hipMemcpyKind k,
                                    hipStream_t = nullptr) {
  return hipMemcpyFromSymbol(to, symbol, n, offset, k);
}
template <class T> hipError_t hipGetSymbolAddress(void** p, const T& symbol) {
  *p = const_cast<std::remove_cv_t<T>*>(&symbol);
  return hipSuccess;
}
template <class T> hipError_t hipGetSymbolSize(size_t* n, const T&) { *n = sizeof(T); return hipSuccess; }

// ---- streams and events
struct hip_cpu_stream { unsigned flags; };
struct hip_cpu_event { long long at_ns; };
typedef hip_cpu_event* hipEvent_t;
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void*);
typedef void (*hipHostFn_t)(void*);

static inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned flags) {
  *s = new hip_cpu_stream{flags};
  return hipSuccess;
}
static inline hipError_t hipStreamCreate(hipStream_t* s) { return hipStreamCreateWithFlags(s, 0); }
static inline hipError_t hipStreamCreateWithPriority(hipStream_t* s, unsigned flags, int) {
  return hipStreamCreateWithFlags(s, flags);
}
static inline hipError_t hipStreamDestroy(hipStream_t s) { delete s; return hipSuccess; }
static inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
static inline hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
static inline hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned = 0) { return hipSuccess; }
static inline hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t f, void* data) { f(data); return hipSuccess; }
static inline hipError_t hipEventCreateWithFlags(hipEvent_t* e, unsigned) {
  *e = new hip_cpu_event{0};
  return hipSuccess;
}
static inline hipError_t hipEventCreate(hipEvent_t* e) { return hipEventCreateWithFlags(e, 0); }
static inline hipError_t hipEventDestroy(hipEvent_t e) { delete e; return hipSuccess; }
static inline hipError_t hipEventRecord(hipEvent_t e, hipStream_t = nullptr) {
  e->at_ns = wall_clock64();
  return hipSuccess;
}
static inline hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
static inline hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
static inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t from, hipEvent_t to) {
  *ms = static_cast<float>(static_cast<double>(to->at_ns - from->at_ns) * 1e-6);
  return hipSuccess;
}
static inline hipError_t hipDeviceSynchronize() { return hipSuccess; }
static inline hipError_t hipDeviceReset() { return hipSuccess; }
static inline hipError_t hipInit(unsigned) { return hipSuccess; }

#include "device.h"
