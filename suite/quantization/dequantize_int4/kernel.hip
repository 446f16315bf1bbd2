// Dequantisation of packed int4 weights: one thread per word, eight stores down its column.
#include "operator.h"

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
dequantize_kernel(const int32_t* packed, const int32_t* zeros, const scalar_t* scales, scalar_t* weight, int64_t words,
                  int64_t group_size, int64_t cols) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= words) return;
  const int64_t first_row = i / cols * 8, c = i % cols, group = first_row / group_size;
  const uint32_t word = packed[i];
  const uint32_t zero_word = zeros[group * (cols / 8) + c / 8];
  const int zero = zero_word >> (c % 8 * 4) & 15;
  const float scale = to_float(scales[group * cols + c]);
  for (int k = 0; k < 8; ++k) {
    const int q = word >> (4 * k) & 15;
    weight[(first_row + k) * cols + c] = from_float<scalar_t>((q - zero) * scale);
  }
}

extern "C" void launch(const int32_t* packed, const int32_t* zeros, const scalar_t* scales, scalar_t* weight,
                       int64_t groups, int64_t group_size, int64_t cols, hipStream_t stream) {
  const int64_t words = groups * group_size / 8 * cols;
  dequantize_kernel<<<dim3((words + kThreads - 1) / kThreads), dim3(kThreads), 0, stream>>>(
      packed, zeros, scales, weight, words, group_size, cols);
}
