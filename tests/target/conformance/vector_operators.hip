// HIP's arithmetic operators on vector types.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 a = make_float4(x[i], 1.0f, 2.0f, 3.0f), b = make_float4(0.5f, 0.25f, 2.0f, 4.0f);
    float4 c = a * b + a - b;
    c += a;
    c *= 2.0f;
    const int2 m = make_int2(k[i], 3) + make_int2(1, 2);
    y[i] = c.x + c.y + c.z + c.w;
    z[i] = m.x + m.y;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
