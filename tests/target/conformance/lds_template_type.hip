// A shared variable whose type has a comma in its template arguments.
#include <hip/hip_runtime.h>

template <typename T, int N>
struct Pack {
  T v[N];
};

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ Pack<float, 2> s[256];
  s[threadIdx.x].v[0] = i < n ? x[i] : 0.0f;
  s[threadIdx.x].v[1] = (float)threadIdx.x;
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x ^ 1].v[0] + s[threadIdx.x ^ 1].v[1];
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
