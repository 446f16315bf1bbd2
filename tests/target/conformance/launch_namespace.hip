// Kernels in namespaces, and the text <<< in a string and a comment.
#include <hip/hip_runtime.h>

namespace outer {
namespace {
__global__ void inner(const int* k, int* z, int n, int length) {  // not a launch: k<<<1, 1>>>(x)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = k[i] + length;
}
}  // namespace
}  // namespace outer
static int length_of(const char* s) {
  int m = 0;
  while (s[m]) ++m;
  return m;
}

extern "C" void launch(const float* x, const int* k, float* y, int* z, int64_t n, hipStream_t stream) {
  outer::inner<<<(n + 255) / 256, 256, 0, stream>>>(k, z, (int)n, length_of("a<<<1, 2>>>(b)"));
}
