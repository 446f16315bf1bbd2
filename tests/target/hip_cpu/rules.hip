// Kernels that break a rule, or look as if they did, and launches at and beyond the limits. One launcher for each:
// int NAME(float* y, int n, int mode). A library has to have a launcher called launch as well.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>

#include "part/other.h"

extern "C" void launch() {}

__global__ void some_barrier(float* y, int n) {
  if (threadIdx.x < 100) __syncthreads();
  y[threadIdx.x] = 1.0f;
}
extern "C" int divergent_barrier(float* y, int n, int) {
  some_barrier<<<dim3(1, 2), 256>>>(y, n);
  return hipGetLastError();
}

__global__ void two_barriers(float* y, int n) {
  if (threadIdx.x % 2) {
    __syncthreads();
  } else {
    y[0] = 2.0f;
    __syncthreads();
  }
}
extern "C" int barrier_of_two_places(float* y, int n, int) {
  two_barriers<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void two_shuffles(float* y, int n) {
  float v = y[threadIdx.x];
  if (threadIdx.x % 2)
    v = __shfl_down(v, 1);
  else
    v = __shfl_up(v, 1);
  y[threadIdx.x] = v;
}
extern "C" int divergent_shuffle(float* y, int n, int) {
  two_shuffles<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void masked_shuffle(float* y, int n) {
  float v = y[threadIdx.x];
  if (threadIdx.x < 8) v = __shfl_xor_sync(0xffffull, v, 1);
  __syncthreads();
  y[threadIdx.x] = v;
}
extern "C" int lanes_of_mask_missing(float* y, int n, int) {
  masked_shuffle<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void branch_vote(float* y, int n) {  // legal: the lanes that are there vote, the others wait at the barrier
  unsigned long long m = 0;
  if (threadIdx.x % 4 == 1) m = __ballot(1);
  __syncthreads();
  y[threadIdx.x] = (float)__popcll(m);
}
extern "C" int branch_vote_is_legal(float* y, int n, int) {
  branch_vote<<<1, 128>>>(y, n);
  return hipGetLastError();
}

__global__ void inactive_source(float* y, int n) {
  float v = 5.0f;
  if (threadIdx.x < 16) v = __shfl_down(v, 8);  // lanes 8 to 15 read lanes that do not take part
  __syncthreads();
  y[threadIdx.x] = v;
}
extern "C" int inactive_lane_reads_zero(float* y, int n, int) {
  inactive_source<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__device__ __noinline__ int deep(int n, volatile char* before) {
  volatile char page[2048];
  page[0] = (char)n;
  return n == 0 ? before[0] : deep(n - 1, page) + page[0];
}
__global__ void recurse(float* y, int n, int depth) {
  volatile char start[1] = {0};
  y[threadIdx.x] = (float)deep(depth, start);
}
extern "C" int stack(float* y, int n, int depth) {
  recurse<<<1, 4>>>(y, n, depth);
  return hipGetLastError();
}

__global__ void far_away(float* y, int n) {
  if (threadIdx.x == 7) y[1ll << 45] = 1.0f;
}
extern "C" int wild_write(float* y, int n, int) {
  far_away<<<dim3(3, 1), 8>>>(y, n);
  return hipGetLastError();
}

template <int BYTES>
__global__ void static_lds(float* y, int n) {
  __shared__ char a[BYTES / 2], b[BYTES - BYTES / 2];
  a[threadIdx.x] = b[threadIdx.x] = 1;
  y[threadIdx.x] = 1.0f;
}
__global__ void plain(float* y, int n) {
  extern __shared__ int s[];
  y[threadIdx.x % n] = 1.0f;
}
// The error of a launch; mode chooses it.
extern "C" int limits(float* y, int n, int mode) {
  const dim3 bad_grid(0), one(1);
  switch (mode) {
    case 0: plain<<<1, 1024>>>(y, n); break;
    case 1: plain<<<1, 1025>>>(y, n); break;
    case 2: plain<<<1, dim3(32, 32, 2)>>>(y, n); break;
    case 3: plain<<<bad_grid, 32>>>(y, n); break;
    case 4: plain<<<1, 32, 64 * 1024>>>(y, n); break;
    case 5: plain<<<1, 32, 64 * 1024 + 1>>>(y, n); break;
    case 6: static_lds<65536><<<1, 32>>>(y, n); break;
    case 7: static_lds<65538><<<1, 32>>>(y, n); break;
    case 8: static_lds<60000><<<1, 32, 8000>>>(y, n); break;
    case 9: plain<<<one, 0>>>(y, n); break;
    case 10: plain<<<dim3(1, 65536), 1>>>(y, n); break;
  }
  return hipGetLastError();
}

__global__ void neighbours(float* y, int n) {  // a barrier is missing between the two lines
  __shared__ float s[64];
  s[threadIdx.x] = (float)threadIdx.x;
  y[threadIdx.x] = threadIdx.x ? s[threadIdx.x - 1] : -1.0f;
}
extern "C" int missing_barrier(float* y, int n, int) {
  neighbours<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void unset(float* y, int n) {
  __shared__ float s[64];
  y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
  s[threadIdx.x] = 0.0f;
}
extern "C" int poisoned_lds(float* y, int n, int) {
  unset<<<2, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void grid_wide(float* y, int n, int blocks_that_wait) {
  if ((int)blockIdx.x < blocks_that_wait) cooperative_groups::this_grid().sync();
  y[blockIdx.x] = 1.0f;
}
extern "C" int cooperative(float* y, int n, int mode) {
  int waiting = mode == 1 ? 3 : 1 << 20;
  void* arguments[] = {&y, &n, &waiting};
  if (mode == 2) {
    grid_wide<<<4, 64>>>(y, n, waiting);
    return hipGetLastError();
  }
  return hipLaunchCooperativeKernel((void*)grid_wide, dim3(mode == 3 ? 100000 : 6), dim3(64), arguments, 0, 0);
}

__global__ void order(float* y, int n) { y[atomicAdd((int*)y + n, 1)] = (float)threadIdx.x; }
extern "C" int thread_order(float* y, int n, int) {
  ((int*)y)[n] = 0;
  order<<<1, n>>>(y, n);
  return hipGetLastError();
}

__global__ void all_halves(unsigned short* out) {  // for every code: decode and encode again, then its square root
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half h = __ushort_as_half((unsigned short)i);
  out[i] = __half_as_ushort(__float2half(__half2float(h)));
  out[65536 + i] = __half_as_ushort(__float2half_rz(__half2float(h) * 1.0003f));
  out[2 * 65536 + i] = __half_as_ushort(__hfma(h, __ushort_as_half((unsigned short)(i * 40503)), __ushort_as_half((unsigned short)(i * 30011 + 7))));
}
extern "C" int halves(unsigned short* out, int, int) {
  all_halves<<<256, 256>>>(out);
  return hipGetLastError();
}

__global__ void rounded(const float* in, unsigned short* half_out, unsigned short* brain_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half_out[i] = __half_as_ushort(__float2half(in[i]));
  brain_out[i] = __bfloat16_as_ushort(__float2bfloat16(in[i]));
}
extern "C" int round_all(const float* in, unsigned short* half_out, unsigned short* brain_out, int n) {
  rounded<<<(n + 255) / 256, 256>>>(in, half_out, brain_out, n);
  return hipGetLastError();
}

__global__ void from_header(float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = reversed_in_block((float)threadIdx.x);
}
extern "C" int header(float* y, int n, int) {
  from_header<<<1, 64>>>(y, n);
  return hipGetLastError();
}

__global__ void out_of_bounds(float* y, int n, int mode) {
  __shared__ float s[64];
  extern __shared__ float d[];
  const int t = threadIdx.x;
  s[t] = d[t] = (float)t;
  __syncthreads();
  float v = __shfl_xor(s[t ^ 1], 1);
  if (mode == 1) v += s[t + 1];  // static shared
  if (mode == 2) v += d[t + 1];  // dynamic shared
  if (mode == 3) v += y[t + n - 63];  // global read
  if (mode == 4) y[t - 1] = v;  // global write
  y[t] = v;
}
extern "C" int bounds(float* y, int n, int mode) {
  out_of_bounds<<<2, 64, 64 * sizeof(float)>>>(y, n, mode);
  return hipGetLastError();
}
