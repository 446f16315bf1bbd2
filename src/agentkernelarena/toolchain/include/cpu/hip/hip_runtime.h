// HIP's runtime header for kernels that run on the CPU. Sources go through the rewriter of `hip_cpu` first.
#pragma once
#include "../hip_cpu/build.h"
#include "../hip_cpu/vector.h"
#include "../hip_cpu/math.h"
#include "../hip_cpu/wave.h"
#include "../hip_cpu/atomic.h"
#include "../hip_cpu/launch.h"
#include "../hip_cpu/runtime.h"
