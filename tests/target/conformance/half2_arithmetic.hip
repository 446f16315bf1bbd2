// Pairs of halves.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half2 a = __floats2half2_rn(x[i], x[n - 1 - i]), b = __float2half2_rn(0.3f);
    const __half2 r = __hfma2(a, b, __hadd2(a, __hmul2(b, b)));
    y[i] = __low2float(r) - __high2float(r);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
