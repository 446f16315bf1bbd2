// A header of a submission: what it holds is rewritten too.
#pragma once
__device__ inline float reversed_in_block(float v) {
  __shared__ float s[1024];
  s[threadIdx.x] = v;
  __syncthreads();
  return s[blockDim.x - 1 - threadIdx.x];
}
