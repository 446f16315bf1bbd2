// Cooperative groups for clang without ROCm: blocks, tiles of a wavefront, coalesced lanes, the grid, and reductions.
#pragma once
#include <hip/hip_runtime.h>

namespace cooperative_groups {

namespace aka {
// A wavefront runs in step; what a group smaller than a block needs is that memory operations are not moved across.
__device__ inline void wave_sync() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
__device__ inline unsigned block_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
constexpr unsigned largest_tile = 32;
#else
constexpr unsigned largest_tile = 64;
#endif
}  // namespace aka

class thread_group {
 public:
  __device__ thread_group(unsigned size, unsigned rank, bool block) : size_(size), rank_(rank), block_(block) {}
  __device__ void sync() const { block_ ? __syncthreads() : aka::wave_sync(); }
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const { return rank_; }

 private:
  unsigned size_, rank_;
  bool block_;
};

class thread_block {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned thread_rank() { return aka::block_rank(); }
  __device__ static unsigned size() { return aka::block_size(); }
  __device__ static unsigned num_threads() { return aka::block_size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
  __device__ operator thread_group() const { return thread_group(size(), thread_rank(), true); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const { __ockl_grid_sync(); }
  __device__ unsigned long long size() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z * aka::block_size();
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    const unsigned long long block = (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return block * aka::block_size() + aka::block_rank();
  }
};
__device__ inline grid_group this_grid() { return grid_group(); }

template <unsigned Size, typename Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Size <= aka::largest_tile, "a tile lies within one wavefront");

 public:
  __device__ void sync() const { aka::wave_sync(); }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ static unsigned thread_rank() { return aka::block_rank() & (Size - 1); }
  __device__ static unsigned meta_group_rank() { return aka::block_rank() / Size; }
  __device__ static unsigned meta_group_size() { return (aka::block_size() + Size - 1) / Size; }
  __device__ operator thread_group() const { return thread_group(Size, thread_rank(), false); }

  template <typename T>
  __device__ T shfl(T v, int rank) const { return __shfl(v, rank, Size); }
  template <typename T>
  __device__ T shfl_up(T v, unsigned delta) const { return __shfl_up(v, delta, Size); }
  template <typename T>
  __device__ T shfl_down(T v, unsigned delta) const { return __shfl_down(v, delta, Size); }
  template <typename T>
  __device__ T shfl_xor(T v, unsigned mask) const { return __shfl_xor(v, static_cast<int>(mask), Size); }

  __device__ unsigned long long ballot(int predicate) const {
    constexpr unsigned long long mask = Size == 64 ? ~0ull : (1ull << (Size & 63)) - 1;
    return (__ballot(predicate) >> (__lane_id() & ~(Size - 1))) & mask;
  }
  __device__ int any(int predicate) const { return ballot(predicate) != 0; }
  __device__ int all(int predicate) const { return ballot(!predicate) == 0; }
};

template <unsigned Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  return thread_group(size, parent.thread_rank() % size, false);
}

class coalesced_group {
 public:
  __device__ coalesced_group() : lanes_(__ballot(1)) {}
  __device__ void sync() const { aka::wave_sync(); }
  __device__ unsigned size() const { return __popcll(lanes_); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const { return __popcll(lanes_ & ((1ull << __lane_id()) - 1)); }
  __device__ int any(int predicate) const { return (__ballot(predicate) & lanes_) != 0; }
  __device__ int all(int predicate) const { return (__ballot(predicate) & lanes_) == lanes_; }
  template <typename T>
  __device__ T shfl(T v, unsigned rank) const { return __shfl(v, lane_of(rank)); }
  template <typename T>
  __device__ T shfl_up(T v, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __shfl(v, lane_of(rank < delta ? rank : rank - delta));
  }
  template <typename T>
  __device__ T shfl_down(T v, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __shfl(v, lane_of(rank + delta < size() ? rank + delta : rank));
  }

 private:
  __device__ int lane_of(unsigned rank) const {
    unsigned long long left = lanes_;
    for (unsigned i = 0; i < rank; ++i) left &= left - 1;
    return __ffsll(left) - 1;
  }
  unsigned long long lanes_;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(); }

template <typename T>
struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T>
struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T>
struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T>
struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T>
struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T>
struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

template <unsigned Size, typename Parent, typename T, typename Operation>
__device__ T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
#pragma unroll
  for (unsigned step = Size / 2; step > 0; step /= 2) value = operation(value, tile.shfl_xor(value, step));
  return value;
}

template <typename Group>
__device__ void sync(const Group& group) { group.sync(); }
template <typename Group>
__device__ auto thread_rank(const Group& group) { return group.thread_rank(); }
template <typename Group>
__device__ auto group_size(const Group& group) { return group.size(); }

}  // namespace cooperative_groups
