// Barriers and wave operations: how threads meet.
//
// Rules that are checked, because breaking them is undefined on one GPU or another:
// - a block barrier is reached by every thread of the block, at the same place in the source;
// - a wave operation without a mask is executed by the lanes that are there (the others are done or wait at a block
//   barrier); lanes of one wave that wait at two different ones are an error, as nothing says which comes first;
// - a wave operation with a mask is executed once every lane of the mask that has not left the kernel is there.
// Reading the value of a lane that does not take part gives 0, as AMD's ds_bpermute does.
#pragma once
#include "worker.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline bool same_text(const char* a, const char* b) { return a == b || strcmp(a, b) == 0; }

inline unsigned barrier(const char* what, unsigned vote, const char* file, int line) {
  Block& b = *block;
  if (b.arrived == 0) {
    b.barrier_what = what;
    b.barrier_file = file;
    b.barrier_line = line;
  } else if (b.barrier_line != line || !same_text(b.barrier_file, file) || !same_text(b.barrier_what, what)) {
    char text[512];
    snprintf(text, sizeof text, "%u of %u threads wait for %s at %s:%d, another one for %s at %s:%d", b.arrived, b.n,
             b.barrier_what, b.barrier_file, b.barrier_line, what, file, line);
    divergent(b, b.barrier_what, text);
  }
  ++b.arrived;
  b.votes += vote;
  if (b.finished) divergent_exit(b);
  b.wave[b.current / WAVE].barred |= bit(lane_id());
  park();
  return b.vote_result;
}

inline void grid_barrier() {
  Block& b = *block;
  if (!b.launch->cooperative) {
    fprintf(stderr, "hip_cpu: grid sync without hipLaunchCooperativeKernel");
    print_place(b);
    fprintf(stderr, "\n");
    abort();
  }
  ++b.grid_arrived;
  b.wave[b.current / WAVE].barred |= bit(lane_id());
  park();
}

[[noreturn]] inline void divergent_wave(const Block& b, unsigned wave, uint64_t some) {
  const Wave& w = b.wave[wave];
  const Request& r = b.request[wave * WAVE + static_cast<unsigned>(__builtin_ctzll(some))];
  char text[1024];
  int used = snprintf(text, sizeof text, "lanes %016llx wait at %s:%d", static_cast<unsigned long long>(some), r.file,
                      r.line);
  if (r.mask)
    used += snprintf(text + used, sizeof text - static_cast<size_t>(used), " with mask %016llx",
                     static_cast<unsigned long long>(r.mask));
  if (const uint64_t rest = w.waving & ~some) {
    const Request& o = b.request[wave * WAVE + static_cast<unsigned>(__builtin_ctzll(rest))];
    used += snprintf(text + used, sizeof text - static_cast<size_t>(used), ", lanes %016llx at %s at %s:%d",
                     static_cast<unsigned long long>(rest), o.what, o.file, o.line);
  }
  if (w.barred)
    used += snprintf(text + used, sizeof text - static_cast<size_t>(used), ", lanes %016llx at a barrier",
                     static_cast<unsigned long long>(w.barred));
  if (w.done)
    snprintf(text + used, sizeof text - static_cast<size_t>(used), ", lanes %016llx have left the kernel",
             static_cast<unsigned long long>(w.done));
  divergent(b, r.what, text);
}

inline bool same_request(const Request& a, const Request& b) {
  if (a.op != b.op || a.mask != b.mask || !same_text(a.what, b.what)) return false;
  return a.mask || (a.line == b.line && same_text(a.file, b.file));
}

// The lanes whose operation can complete now; ends the process when there are none.
inline uint64_t complete_group(const Block& b, unsigned wave) {
  const Wave& w = b.wave[wave];
  const Request* r = &b.request[wave * WAVE];
  for (uint64_t todo = w.waving; todo;) {
    const unsigned first = static_cast<unsigned>(__builtin_ctzll(todo));
    uint64_t group = w.waving;
    if (w.mixed)
      for (unsigned i = 0; i < WAVE; ++i)
        if ((group & bit(i)) && !same_request(r[i], r[first])) group &= ~bit(i);
    const uint64_t mask = r[first].mask;
    if (mask ? (group & ~mask) == 0 && (mask & w.lanes & ~w.done & ~group) == 0 : group == w.waving) return group;
    todo &= ~group;
  }
  const unsigned first = static_cast<unsigned>(__builtin_ctzll(w.waving));
  uint64_t some = 0;
  for (unsigned i = 0; i < WAVE; ++i)
    if ((w.waving & bit(i)) && same_request(r[i], r[first])) some |= bit(i);
  divergent_wave(b, wave, some);
}

inline void complete_wave_operation(Block& b, unsigned wave) {
  Wave& w = b.wave[wave];
  const unsigned base = wave * WAVE;
  const uint64_t group = complete_group(b, wave);
  const WaveOp op = b.request[base + static_cast<unsigned>(__builtin_ctzll(group))].op;
  uint64_t votes = 0;
  if (op == WaveOp::VOTE)
    for (uint64_t m = group; m; m &= m - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctzll(m));
      votes |= b.in[base + i] << i;
    }
  for (uint64_t m = group; m; m &= m - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctzll(m));
    if (op == WaveOp::SHUFFLE) {
      const unsigned s = b.source[base + i];
      b.out[base + i] = s < WAVE && (group & bit(s)) ? b.in[base + s] : 0;
    } else if (op == WaveOp::MATCH) {
      uint64_t same = 0;
      for (uint64_t k = group; k; k &= k - 1) {
        const unsigned j = static_cast<unsigned>(__builtin_ctzll(k));
        if (b.in[base + j] == b.in[base + i]) same |= bit(j);
      }
      b.out[base + i] = same;
    } else {
      b.out[base + i] = votes;
    }
  }
  w.waving &= ~group;
  w.ready |= group;
  if (!w.waving) w.mixed = false;
}

// Meets the other lanes of the wave; returns this lane's result.
HIP_CPU_NOINLINE inline uint64_t wave_operation(WaveOp op, uint64_t in, unsigned source, uint64_t mask,
                                                const char* what, const char* file, int line) {
  Block& b = *block;
  const unsigned me = b.current;
  Wave& w = b.wave[me / WAVE];
  const Request mine{file, what, mask, line, op};
  if (w.waving && !w.mixed)
    w.mixed = !same_request(mine, b.request[me / WAVE * WAVE + static_cast<unsigned>(__builtin_ctzll(w.waving))]);
  b.request[me] = mine;
  b.in[me] = in;
  b.source[me] = source;
  w.waving |= bit(me % WAVE);
  if (mask && !(mask & bit(me % WAVE))) divergent_wave(b, me / WAVE, bit(me % WAVE));
  park();
  return b.out[me];
}

// A mask as the caller wrote it: CUDA's 32-bit "everyone" means everyone in a wave of 64 too.
template <class M> uint64_t lanes_of(M mask) {
  static_assert(std::is_integral<M>::value, "a lane mask is an integer");
  const uint64_t m = sizeof(M) == 4 ? static_cast<uint32_t>(mask) : static_cast<uint64_t>(mask);
  if (sizeof(M) == 4 && m == 0xFFFFFFFFu) return low_bits(WAVE);
  return m ? m & low_bits(WAVE) : bit(lane_id());
}

// A value from another lane, in words of 8 bytes.
template <class T>
inline T shuffle(T v, unsigned source, uint64_t mask, const char* what, const char* file, int line) {
  static_assert(std::is_trivially_copyable<T>::value, "only plain values can be shuffled");
  constexpr size_t words = (sizeof(T) + 7) / 8;
  uint64_t w[words] = {};
  memcpy(w, &v, sizeof(T));
  for (size_t i = 0; i < words; ++i) w[i] = wave_operation(WaveOp::SHUFFLE, w[i], source, mask, what, file, line);
  memcpy(&v, w, sizeof(T));
  return v;
}
inline unsigned from_index(int s, int width) {
  const unsigned w = static_cast<unsigned>(width);
  return (lane_id() & ~(w - 1)) | (static_cast<unsigned>(s) & (w - 1));
}
inline unsigned from_up(unsigned d, int width) {
  const unsigned l = lane_id(), w = static_cast<unsigned>(width);
  return (l & (w - 1)) < d ? l : l - d;
}
inline unsigned from_down(unsigned d, int width) {
  const unsigned l = lane_id(), w = static_cast<unsigned>(width);
  return d >= w || (l & (w - 1)) + d >= w ? l : l + d;
}
inline unsigned from_xor(int m, int width) {
  const unsigned l = lane_id(), w = static_cast<unsigned>(width), s = l ^ static_cast<unsigned>(m);
  return s >= ((l + w) & ~(w - 1)) ? l : s;
}
inline uint64_t vote(bool p, uint64_t mask, const char* what, const char* file, int line) {
  return wave_operation(WaveOp::VOTE, p, 0, mask, what, file, line);
}
template <class T> inline uint64_t match(T v, uint64_t mask, const char* what, const char* file, int line) {
  static_assert(sizeof(T) <= 8, "only values of at most 8 bytes can be matched");
  uint64_t u = 0;
  memcpy(&u, &v, sizeof(T));
  return wave_operation(WaveOp::MATCH, u, 0, mask, what, file, line);
}
}  // namespace hip_cpu

static inline void __syncthreads(HIP_CPU_SITE) { hip_cpu::barrier("__syncthreads", 0, HIP_CPU_HERE); }
static inline int __syncthreads_count(int p, HIP_CPU_SITE) {
  return static_cast<int>(hip_cpu::barrier("__syncthreads_count", p != 0, HIP_CPU_HERE));
}
static inline int __syncthreads_or(int p, HIP_CPU_SITE) {
  return hip_cpu::barrier("__syncthreads_or", p != 0, HIP_CPU_HERE) != 0;
}
static inline int __syncthreads_and(int p, HIP_CPU_SITE) {
  return hip_cpu::barrier("__syncthreads_and", p == 0, HIP_CPU_HERE) == 0;
}

template <class T> T __shfl(T v, int lane, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_index(lane, width), 0, "__shfl", HIP_CPU_HERE);
}
template <class T> T __shfl_up(T v, unsigned delta, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_up(delta, width), 0, "__shfl_up", HIP_CPU_HERE);
}
template <class T> T __shfl_down(T v, unsigned delta, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_down(delta, width), 0, "__shfl_down", HIP_CPU_HERE);
}
template <class T> T __shfl_xor(T v, int lanes, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_xor(lanes, width), 0, "__shfl_xor", HIP_CPU_HERE);
}
template <class M, class T> T __shfl_sync(M mask, T v, int lane, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_index(lane, width), hip_cpu::lanes_of(mask), "__shfl_sync", HIP_CPU_HERE);
}
template <class M, class T> T __shfl_up_sync(M mask, T v, unsigned delta, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_up(delta, width), hip_cpu::lanes_of(mask), "__shfl_up_sync", HIP_CPU_HERE);
}
template <class M, class T> T __shfl_down_sync(M mask, T v, unsigned delta, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_down(delta, width), hip_cpu::lanes_of(mask), "__shfl_down_sync",
                          HIP_CPU_HERE);
}
template <class M, class T> T __shfl_xor_sync(M mask, T v, int lanes, int width = warpSize, HIP_CPU_SITE) {
  return hip_cpu::shuffle(v, hip_cpu::from_xor(lanes, width), hip_cpu::lanes_of(mask), "__shfl_xor_sync",
                          HIP_CPU_HERE);
}

static inline unsigned long long __ballot(int p, HIP_CPU_SITE) {
  return hip_cpu::vote(p != 0, 0, "__ballot", HIP_CPU_HERE);
}
static inline int __any(int p, HIP_CPU_SITE) { return hip_cpu::vote(p != 0, 0, "__any", HIP_CPU_HERE) != 0; }
static inline int __all(int p, HIP_CPU_SITE) { return hip_cpu::vote(p == 0, 0, "__all", HIP_CPU_HERE) == 0; }
static inline unsigned long long __activemask(HIP_CPU_SITE) {
  return hip_cpu::vote(true, 0, "__activemask", HIP_CPU_HERE);
}
template <class M> unsigned long long __ballot_sync(M mask, int p, HIP_CPU_SITE) {
  return hip_cpu::vote(p != 0, hip_cpu::lanes_of(mask), "__ballot_sync", HIP_CPU_HERE);
}
template <class M> int __any_sync(M mask, int p, HIP_CPU_SITE) {
  return hip_cpu::vote(p != 0, hip_cpu::lanes_of(mask), "__any_sync", HIP_CPU_HERE) != 0;
}
template <class M> int __all_sync(M mask, int p, HIP_CPU_SITE) {
  return hip_cpu::vote(p == 0, hip_cpu::lanes_of(mask), "__all_sync", HIP_CPU_HERE) == 0;
}
template <class T> unsigned long long __match_any(T v, HIP_CPU_SITE) {
  return hip_cpu::match(v, 0, "__match_any", HIP_CPU_HERE);
}
template <class M, class T> unsigned long long __match_any_sync(M mask, T v, HIP_CPU_SITE) {
  return hip_cpu::match(v, hip_cpu::lanes_of(mask), "__match_any_sync", HIP_CPU_HERE);
}
template <class M, class T> unsigned long long __match_all_sync(M mask, T v, int* all, HIP_CPU_SITE) {
  const uint64_t lanes = hip_cpu::lanes_of(mask);
  const uint64_t here = hip_cpu::vote(true, lanes, "__match_all_sync", HIP_CPU_HERE);
  *all = hip_cpu::match(v, lanes, "__match_all_sync", HIP_CPU_HERE) == here;
  return *all ? here : 0;
}
template <class T> unsigned long long __match_all(T v, int* all, HIP_CPU_SITE) {
  const uint64_t here = hip_cpu::vote(true, 0, "__match_all", HIP_CPU_HERE);
  *all = hip_cpu::match(v, 0, "__match_all", HIP_CPU_HERE) == here;
  return *all ? here : 0;
}
static inline void __syncwarp(HIP_CPU_SITE) {
  hip_cpu::wave_operation(hip_cpu::WaveOp::SYNC, 0, 0, 0, "__syncwarp", HIP_CPU_HERE);
}
template <class M> void __syncwarp(M mask, HIP_CPU_SITE) {
  hip_cpu::wave_operation(hip_cpu::WaveOp::SYNC, 0, 0, hip_cpu::lanes_of(mask), "__syncwarp", HIP_CPU_HERE);
}
static inline unsigned __lane_id() { return hip_cpu::lane_id(); }
