// Bytes packed into words.
#include <hip/hip_runtime.h>

__global__ void kernel(const float* x, const int* k, float* y, int* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    uchar4 b;
    b.x = (unsigned char)k[4 * i];
    b.y = (unsigned char)k[4 * i + 1];
    b.z = (unsigned char)k[4 * i + 2];
    b.w = (unsigned char)k[4 * i + 3];
    z[i] = *reinterpret_cast<int*>(&b);
  }
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, k, y, z, (int)n);
}
