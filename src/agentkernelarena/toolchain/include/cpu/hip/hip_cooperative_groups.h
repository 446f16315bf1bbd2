// Cooperative groups: blocks, the grid (after hipLaunchCooperativeKernel), tiles of a wave, and coalesced lanes.
//
// Operations of a tile or of coalesced lanes name their lanes, so tiles of one wave may go different ways.
#pragma once
#include "hip_runtime.h"

namespace cooperative_groups {
namespace detail __attribute__((visibility("hidden"))) {
inline unsigned nth_lane(uint64_t mask, unsigned n) {
  while (n--) mask &= mask - 1;
  return mask ? static_cast<unsigned>(__builtin_ctzll(mask)) : HIP_CPU_WAVE;
}
inline unsigned rank_in(uint64_t mask) {
  return static_cast<unsigned>(__builtin_popcountll(mask & (hip_cpu::bit(hip_cpu::lane_id()) - 1)));
}
// The bits of `lanes` that lie in `mask`, packed in rank order.
inline unsigned long long pack(uint64_t lanes, uint64_t mask) {
  unsigned long long r = 0;
  for (unsigned i = 0; mask; mask &= mask - 1, ++i)
    r |= static_cast<unsigned long long>(lanes >> __builtin_ctzll(mask) & 1) << i;
  return r;
}
inline unsigned flat(const dim3& d, const hip_cpu::Index& i) { return (i.z * d.y + i.y) * d.x + i.x; }
}  // namespace detail

class thread_block {
 public:
  static void sync(HIP_CPU_SITE) { hip_cpu::barrier("thread_block::sync", 0, HIP_CPU_HERE); }
  static unsigned thread_rank() { return hip_cpu::block->current; }
  static unsigned size() { return hip_cpu::block->n; }
  static unsigned num_threads() { return hip_cpu::block->n; }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static bool is_valid() { return true; }
};
inline thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  void sync() const { hip_cpu::grid_barrier(); }
  bool is_valid() const { return hip_cpu::block->launch->cooperative; }
  unsigned long long num_blocks() const { return hip_cpu::block->launch->blocks; }
  unsigned long long size() const { return num_blocks() * hip_cpu::block->n; }
  unsigned long long num_threads() const { return size(); }
  unsigned long long block_rank() const { return detail::flat(gridDim, blockIdx); }
  unsigned long long thread_rank() const { return block_rank() * hip_cpu::block->n + hip_cpu::block->current; }
  dim3 group_dim() const { return gridDim; }
  dim3 dim_blocks() const { return gridDim; }
  dim3 block_index() const { return blockIdx; }
};
inline grid_group this_grid() { return {}; }

// Lanes of one wave by their mask: the base of tiles and of coalesced groups.
class lane_group {
 public:
  explicit lane_group(uint64_t mask) : mask_(mask) {}
  unsigned size() const { return static_cast<unsigned>(__builtin_popcountll(mask_)); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return detail::rank_in(mask_); }
  void sync(HIP_CPU_SITE) const {
    hip_cpu::wave_operation(hip_cpu::WaveOp::SYNC, 0, 0, mask_, "group sync", HIP_CPU_HERE);
  }
  template <class T> T shfl(T v, int rank, HIP_CPU_SITE) const {
    return from(v, static_cast<unsigned>(rank) % size(), "group shfl", HIP_CPU_HERE);
  }
  template <class T> T shfl_up(T v, unsigned delta, HIP_CPU_SITE) const {
    const unsigned r = thread_rank();
    return from(v, r < delta ? r : r - delta, "group shfl_up", HIP_CPU_HERE);
  }
  template <class T> T shfl_down(T v, unsigned delta, HIP_CPU_SITE) const {
    const unsigned r = thread_rank();
    return from(v, delta >= size() - r ? r : r + delta, "group shfl_down", HIP_CPU_HERE);
  }
  template <class T> T shfl_xor(T v, unsigned lanes, HIP_CPU_SITE) const {
    const unsigned r = thread_rank();
    return from(v, (r ^ lanes) < size() ? r ^ lanes : r, "group shfl_xor", HIP_CPU_HERE);
  }
  int any(int p, HIP_CPU_SITE) const { return hip_cpu::vote(p != 0, mask_, "group any", HIP_CPU_HERE) != 0; }
  int all(int p, HIP_CPU_SITE) const { return hip_cpu::vote(p == 0, mask_, "group all", HIP_CPU_HERE) == 0; }
  unsigned long long ballot(int p, HIP_CPU_SITE) const {
    return detail::pack(hip_cpu::vote(p != 0, mask_, "group ballot", HIP_CPU_HERE), mask_);
  }
  template <class T> unsigned long long match_any(T v, HIP_CPU_SITE) const {
    return detail::pack(hip_cpu::match(v, mask_, "group match_any", HIP_CPU_HERE), mask_);
  }
  template <class T> unsigned long long match_all(T v, int& all, HIP_CPU_SITE) const {
    all = hip_cpu::match(v, mask_, "group match_all", HIP_CPU_HERE) == mask_;
    return all ? detail::pack(mask_, mask_) : 0;
  }
  uint64_t hip_cpu_mask() const { return mask_; }

 private:
  template <class T> T from(T v, unsigned rank, const char* what, const char* file, int line) const {
    return hip_cpu::shuffle(v, detail::nth_lane(mask_, rank), mask_, what, file, line);
  }
  uint64_t mask_;
};

class coalesced_group : public lane_group {
 public:
  using lane_group::lane_group;
};
inline coalesced_group coalesced_threads(HIP_CPU_SITE) {
  return coalesced_group(hip_cpu::vote(true, 0, "coalesced_threads", HIP_CPU_HERE));
}

template <unsigned N, class Parent = void> class thread_block_tile : public lane_group {
  static_assert(N >= 1 && (N & (N - 1)) == 0, "the size of a tile is a power of two");
  static_assert(N <= HIP_CPU_WAVE, "a tile is not larger than a wave");

 public:
  thread_block_tile() : lane_group(mask()) {}
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  static unsigned thread_rank() { return hip_cpu::lane_id() % N; }
  static unsigned meta_group_rank() { return hip_cpu::block->current / N; }
  static unsigned meta_group_size() { return (hip_cpu::block->n + N - 1) / N; }

 private:
  static uint64_t mask() {
    const unsigned lane = hip_cpu::lane_id();
    const hip_cpu::Block& b = *hip_cpu::block;
    return (hip_cpu::low_bits(N) << (lane & ~(N - 1))) & b.wave[b.current / HIP_CPU_WAVE].lanes;
  }
};
template <unsigned N, class P> thread_block_tile<N, P> tiled_partition(const P&) { return {}; }
inline coalesced_group tiled_partition(const thread_block&, unsigned n) {
  const unsigned lane = hip_cpu::lane_id();
  return coalesced_group(hip_cpu::low_bits(n) << (lane & ~(n - 1)));
}
template <class G> coalesced_group binary_partition(const G& g, bool p, HIP_CPU_SITE) {
  return coalesced_group(hip_cpu::match(p, g.hip_cpu_mask(), "binary_partition", HIP_CPU_HERE));
}
template <class G, class L> coalesced_group labeled_partition(const G& g, L label, HIP_CPU_SITE) {
  return coalesced_group(hip_cpu::match(label, g.hip_cpu_mask(), "labeled_partition", HIP_CPU_HERE));
}

template <class G> void sync(const G& g, HIP_CPU_SITE) { g.sync(HIP_CPU_HERE); }
inline void sync(const grid_group& g) { g.sync(); }

template <class T> struct plus { T operator()(const T& a, const T& b) const { return a + b; } };
template <class T> struct less { T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(const T& a, const T& b) const { return a & b; } };
template <class T> struct bit_or { T operator()(const T& a, const T& b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(const T& a, const T& b) const { return a ^ b; } };

// Every lane gets op over all lanes of the group, in rank order.
template <class G, class T, class Op> T reduce(const G& g, T v, Op op, HIP_CPU_SITE) {
  T result = g.shfl(v, 0, HIP_CPU_HERE);
  for (unsigned i = 1; i < g.size(); ++i) result = op(result, g.shfl(v, static_cast<int>(i), HIP_CPU_HERE));
  return result;
}
template <class G, class T, class Op> T inclusive_scan(const G& g, T v, Op op, HIP_CPU_SITE) {
  T result = v;
  for (unsigned d = 1; d < g.size(); d *= 2) {
    const T other = g.shfl_up(result, d, HIP_CPU_HERE);
    if (g.thread_rank() >= d) result = op(other, result);
  }
  return result;
}
template <class G, class T> T inclusive_scan(const G& g, T v, HIP_CPU_SITE) {
  return inclusive_scan(g, v, plus<T>(), HIP_CPU_HERE);
}
template <class G, class T> T exclusive_scan(const G& g, T v, HIP_CPU_SITE) {
  const T up = g.shfl_up(inclusive_scan(g, v, plus<T>(), HIP_CPU_HERE), 1, HIP_CPU_HERE);
  return g.thread_rank() ? up : T();
}
}  // namespace cooperative_groups
