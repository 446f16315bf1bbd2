// Structures in shared memory.
#include <hip/hip_runtime.h>

struct Item {
  short tag;
  float value;
};

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ Item s[128];
  s[threadIdx.x].value = i < n ? x[i] : 0.0f;
  s[threadIdx.x].tag = (short)threadIdx.x;
  __syncthreads();
  const Item other = s[threadIdx.x ^ 5];
  if (i < n) {
    y[i] = other.value;
    z[i] = other.tag;
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, k, y, z, (int)n);
}
