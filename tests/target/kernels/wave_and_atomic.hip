// Votes and shuffles with and without masks, atomics of every kind, vector arithmetic, constant memory, streaming access.
#include <hip/hip_runtime.h>

__constant__ float table[4];

template <int extra, typename N>
__global__ void kernel(const float4* x, float4* y, int* counts, size_t* wide, float* f, double* d, N n) {
  extern __shared__ float scratch[];
  const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  if (i >= n) return;
  float4 v = x[i];
  v = v * 2.0f + v - -v;
  v += x[n - 1 - i];
  v *= 0.5f;
  int2 q = (make_int2(i, 3) & 3) % make_int2(2, 3);
  if (q == make_int2(1, 1)) q.x = 7;
  scratch[threadIdx.x] = v.x + table[i & 3];
  v.y = __shfl(v.x, 3) + __shfl_up(v.y, 1) + __shfl_down(v.z, 2u, 16) + __shfl_xor(v.w, 1);
  v.y += __shfl_sync(~0ull, v.x, 1) + __shfl_xor_sync(~0ull, v.x, 1) + static_cast<float>(__shfl(i, 1));
  const unsigned long long lanes = __ballot(v.x > 0.0f);
  if (__any(v.x > 1.0f) && !__all(v.x > 2.0f)) v.z += __popcll(lanes) + __lane_id();
  atomicAdd(&counts[0], 1);
  atomicAdd(wide, size_t{3});
  atomicMax(wide, size_t{4});
  atomicCAS(wide, size_t{1}, size_t{2});
  atomicMax(f, v.x);
  atomicMin(d, 2.0);
  atomicSub(f, 1.0f);
  unsafeAtomicAdd(f, v.x);
  __hip_atomic_fetch_add(counts, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_store(counts + 1, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  v.w += __hip_atomic_load(counts + 2, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
  v.w += __builtin_nontemporal_load(f) + static_cast<float>(wall_clock64() + clock64());
  __builtin_nontemporal_store(1.0f, f + 1);
#if __HIP_DEVICE_COMPILE__
  y[i] = v + make_float4(extra, q.x, q.y, scratch[threadIdx.x]);
#endif
}

extern "C" void launch(const float4* x, float4* y, int* counts, int64_t n, hipStream_t stream) {
  kernel<3, int><<<dim3(3), dim3(256), 1024, stream>>>(x, y, counts, nullptr, nullptr, nullptr, static_cast<int>(n));
}
