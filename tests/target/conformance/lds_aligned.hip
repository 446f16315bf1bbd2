// An aligned shared array read as float4.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __align__(16) float s[256];
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  const float4 v = reinterpret_cast<const float4*>(s)[threadIdx.x / 4];
  if (i < n) y[i] = (v.x + v.y) + (v.z + v.w);
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
