// A large struct passed by value.
#include <hip/hip_runtime.h>

struct Table {
  int offset;
  float weight[32];
};
__global__ void kernel(Table t, const int* k, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = t.weight[k[i] & 31] + (float)t.offset;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  Table t;
  t.offset = 5;
  for (int j = 0; j < 32; ++j) t.weight[j] = 0.5f * j;
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(t, k, y, (int)n);
}
