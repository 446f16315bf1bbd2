// bfloat16 inputs, accumulation in float.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0.0f;
    for (int j = 0; j < 8; ++j) {
      const __hip_bfloat16 a = __float2bfloat16(x[(i + j) % n]);
      s = fmaf(__bfloat162float(a), (float)(j + 1), s);
    }
    y[i] = s;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
