// Half-precision functions.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half a = __float2half(fabsf(x[i]) + 0.5f);
    y[i] = __half2float(hsqrt(a)) + __half2float(hexp(a)) + __half2float(hlog(a)) + __half2float(hrcp(a)) +
           __half2float(hfloor(a));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
