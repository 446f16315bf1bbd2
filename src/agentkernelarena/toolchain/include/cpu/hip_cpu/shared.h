// __shared__ variables. The rewriter makes of
//     __shared__ float a[16][17], b;
// the same declaration as a typedef, a slot for each variable, and references to the block's own storage:
//     typedef float hip_cpu_t_a[16][17], hip_cpu_t_b; static hip_cpu::Slot hip_cpu_s_a, hip_cpu_s_b;
//     hip_cpu_t_a& a = hip_cpu::shared<hip_cpu_t_a>(hip_cpu_s_a, "a"); ...
#pragma once
#include "pool.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
enum : int { ERROR_INVALID_VALUE = 1, ERROR_INVALID_CONFIGURATION = 9 };

struct Slot { unsigned number; };  // 0 until first used
inline unsigned slots_used = 0;

HIP_CPU_NOINLINE inline char* place_shared(Block& b, Slot& slot, size_t bytes, const char* name) {
  unsigned number = __atomic_load_n(&slot.number, __ATOMIC_ACQUIRE);
  if (number == 0) {
    pthread_mutex_lock(&pool.lock);
    if (slot.number == 0) __atomic_store_n(&slot.number, ++slots_used, __ATOMIC_RELEASE);
    number = slot.number;
    pthread_mutex_unlock(&pool.lock);
    if (number >= MAX_SHARED) {
      fprintf(stderr, "hip_cpu: more than %u __shared__ declarations in one library\n", MAX_SHARED);
      abort();
    }
  }
  SharedPlace& p = b.place[number];
  if (p.epoch != b.epoch) {
    char* at = take_lds(b, bytes);
    if (!at) {
      fprintf(stderr, "hip_cpu: kernel %s needs more than %zu bytes of shared memory (at variable %s)\n",
              b.launch->kernel, LDS_BYTES, name);
      fail_launch(ERROR_INVALID_VALUE);
    }
    p = SharedPlace{b.epoch, at};
  }
  return p.at;
}

template <class T> inline T& shared(Slot& slot, const char* name) {
  static_assert(sizeof(T) <= LDS_BYTES, "a __shared__ variable is larger than the 64 KiB of local data share (LDS)");
  Block& b = *block;
  const unsigned number = __atomic_load_n(&slot.number, __ATOMIC_RELAXED);
  if (number != 0 && b.place[number].epoch == b.epoch) return *reinterpret_cast<T*>(b.place[number].at);
  return *reinterpret_cast<T*>(place_shared(b, slot, sizeof(T), name));
}

// `extern __shared__ T name[];` in a function: T is an array of unknown bound.
template <class T> inline T& dynamic_shared() { return *reinterpret_cast<T*>(block->dynamic); }

// The same at namespace scope.
template <class Array> struct DynamicShared {
  using Element = std::remove_extent_t<Array>;
  Element* data() const { return reinterpret_cast<Element*>(block->dynamic); }
  operator Element*() const { return data(); }
  template <class U, class = std::enable_if_t<!std::is_same<U, Element>::value>> explicit operator U*() const {
    return reinterpret_cast<U*>(block->dynamic);
  }
};
}  // namespace hip_cpu

#define HIP_DYNAMIC_SHARED(T, name) T* name = hip_cpu::dynamic_shared<T[]>();
