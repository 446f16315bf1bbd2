// HIP's cooperative groups are CUDA's. Reductions are defined here: CUDA's own header for them pulls in its C++ library,
// which makes a build take three times as long.
#pragma once
#include <cooperative_groups.h>
#include <hip/hip_runtime.h>

namespace cooperative_groups {

template <typename T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned Size, typename Parent, typename T, typename Operation>
__device__ T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
#pragma unroll
  for (unsigned step = Size / 2; step > 0; step /= 2) value = operation(value, tile.shfl_xor(value, step));
  return value;
}

}  // namespace cooperative_groups
