// Halves to integers and back.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __half h = __float2half(x[i] * 10.0f);
    z[i] = __half2int_rn(h) + 1000 * __half2int_rz(h) + 1000000 * __half2int_rd(h);
    y[i] = __half2float(__int2half_rn(k[i] * 7));
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
