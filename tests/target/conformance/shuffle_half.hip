// Shuffle of half-precision values.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0.0f;

  const __half h = __float2half(v);
  const __half r = __shfl_xor(h, 1);
  if (i < n) y[i] = __half2float(r);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
