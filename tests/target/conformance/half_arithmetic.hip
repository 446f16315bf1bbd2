// Half-precision +, -, *, / by operators and intrinsics.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half a = __float2half(x[i]), b = __float2half(0.125f * (float)(k[i] | 1));
    const __half s = a + b, d = __hsub(a, b), p = a * b, q = __hdiv(a, b);
    y[i] = __half2float(s) + 2.0f * __half2float(d) + 4.0f * __half2float(p) + 8.0f * __half2float(q);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
