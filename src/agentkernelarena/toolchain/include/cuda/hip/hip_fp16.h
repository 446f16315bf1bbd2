// HIP's half precision is CUDA's under the same names.
#pragma once
#include <cuda_fp16.h>
#include <hip/hip_runtime.h>

#if defined(__CUDA_NO_HALF_OPERATORS__)
#error "HIP's half type has operators: do not define __CUDA_NO_HALF_OPERATORS__"
#endif
