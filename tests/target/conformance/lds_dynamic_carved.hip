// One dynamic allocation carved into arrays of two types.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ unsigned char raw[];
  float* f = reinterpret_cast<float*>(raw);
  int* m = reinterpret_cast<int*>(f + blockDim.x);
  f[threadIdx.x] = i < n ? x[i] : 0.0f;
  m[threadIdx.x] = i < n ? k[i] : 0;
  __syncthreads();
  const int o = threadIdx.x ^ 3;
  if (i < n) {
    y[i] = f[o];
    z[i] = m[o];
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 256 * (sizeof(float) + sizeof(int)), stream>>>(x, k, y, z, (int)n);
}
