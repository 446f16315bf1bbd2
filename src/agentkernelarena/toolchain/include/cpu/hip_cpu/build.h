// Build-wide choices and the language's keywords. Included first by every other header of this folder.
//
// HIP_CPU_WAVE (32 or 64) is the wavefront size; HIP_CPU_ASAN is set when AddressSanitizer is on.
#pragma once
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define HIP_CPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HIP_CPU_ASAN 1
#endif
#endif

#ifndef HIP_CPU_WAVE
#define HIP_CPU_WAVE 64
#endif

#define __HIP_PLATFORM_CPU__ 1
#define __HIPCC__ 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// `__noinline__` cannot be a macro (the C++ library writes __attribute__((__noinline__))): the rewriter replaces it.
#define HIP_CPU_NOINLINE __attribute__((noinline))
// The rewriter turns every declaration with __shared__ into one of `shared.h`; what is left over is reported here.
#define __shared__ hip_cpu_error_this_use_of_shared_is_not_understood
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x

// Two trailing parameters that carry the caller's file and line into a diagnosis.
#define HIP_CPU_SITE const char *hip_cpu_file = __builtin_FILE(), int hip_cpu_line = __builtin_LINE()
#define HIP_CPU_HERE hip_cpu_file, hip_cpu_line

static_assert(HIP_CPU_WAVE == 32 || HIP_CPU_WAVE == 64, "HIP_CPU_WAVE is 32 or 64");
static constexpr int warpSize = HIP_CPU_WAVE;
