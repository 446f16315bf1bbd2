// An OS thread's part of a launch: which GPU thread runs next, and on which stack.
//
// A thread that never waits runs on the stack of the one before it, so kernels without barriers switch nothing.
// A sweep takes the waves of a block in order and runs each until all of its lanes wait at a barrier or are done;
// wave operations complete in between, the barrier at the end of the sweep.
#pragma once
#include "block.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline void complete_wave_operation(Block& b, unsigned wave);  // wave.h
inline void grid_rendezvous(Worker&);                          // pool.h

struct Worker {
  StackPool stacks;
  void* home = nullptr;  // saved context of the OS thread while fibers run
  void* home_fake = nullptr;
  const void* home_low = nullptr;
  size_t home_bytes = 0;
  Launch* launch = nullptr;
  unsigned number = 0;
  Block* blocks = nullptr;   // one, or this worker's share of a cooperative grid
  Block* spare = nullptr;
  dim3 shape{0, 0, 0};
  Index index[MAX_THREADS];  // threadIdx by flat number
};

inline Block* new_block(Worker& w) {
  Block* b = w.spare;
  if (b) {
    w.spare = b->next;
  } else {
    b = static_cast<Block*>(calloc(1, sizeof(Block)));
    const size_t bytes = LDS_BYTES + (MAX_SHARED + 2) * RED_ZONE * 2;
    if (!b || posix_memalign(reinterpret_cast<void**>(&b->lds), 4096, bytes)) {
      fprintf(stderr, "hip_cpu: no memory for a block\n");
      abort();
    }
#ifdef HIP_CPU_ASAN
    __asan_poison_memory_region(b->lds, bytes);
#endif
  }
  b->worker = &w;
  b->next = nullptr;
  return b;
}

// `bytes` of the block's LDS at a fresh address, filled with a pattern; null when the hardware would have no room.
// Two patterns alternate: NaNs hide from fmaxf, large numbers from comparisons that NaN would fail.
inline char* take_lds(Block& b, size_t bytes) {
  const size_t rounded = (bytes + 15) & ~size_t(15);
  if (b.lds_needed + bytes > LDS_BYTES) return nullptr;
  b.lds_needed += rounded;
  char* at = b.lds + b.lds_used + RED_ZONE;
  b.lds_used += rounded + 2 * RED_ZONE;
#ifdef HIP_CPU_ASAN
  __asan_unpoison_memory_region(at, bytes);
#endif
  memset(at, (b.index.x + b.index.y + b.index.z) & 1 ? 0x7B : 0xFF, bytes);
  return at;
}

inline void start_block(Block& b, uint64_t number) {
  const Launch& l = *b.launch;
  b.index = {static_cast<unsigned>(number % l.grid.x), static_cast<unsigned>(number / l.grid.x % l.grid.y),
             static_cast<unsigned>(number / (uint64_t(l.grid.x) * l.grid.y))};
  b.step = b.arrived = b.finished = b.grid_arrived = b.votes = 0;
  for (unsigned w = 0; w < b.waves_n; ++w) {
    const unsigned lanes = b.n - w * WAVE < WAVE ? b.n - w * WAVE : WAVE;
    b.wave[w] = Wave{low_bits(lanes), low_bits(lanes), 0, 0, 0, 0, false};
  }
#ifdef HIP_CPU_ASAN
  __asan_poison_memory_region(b.lds, b.lds_used);
#endif
  ++b.epoch;
  b.lds_used = b.lds_needed = 0;
  b.dynamic = take_lds(b, l.dynamic_bytes);  // its size was checked by the launch
}

inline void enter_block(Block& b) {
  block = &b;
  blockIdx = b.index;
}

inline void prepare_block(Worker& w, Block& b) {
  b.launch = w.launch;
  b.n = w.launch->block.x * w.launch->block.y * w.launch->block.z;
  b.waves_n = (b.n + WAVE - 1) / WAVE;
}

[[noreturn]] inline void divergent_exit(const Block& b) {
  char text[512];
  snprintf(text, sizeof text, "%u of %u threads wait at %s:%d, %u have left the kernel without reaching it", b.arrived,
           b.n, b.barrier_file, b.barrier_line, b.finished);
  divergent(b, b.barrier_what, text);
}

// Moves on to a block that can run: the next one of the grid, or of a cooperative grid one that waited for the others.
inline bool next_block(Worker& w) {
  Launch& l = *w.launch;
  if (!l.cooperative) {
    const uint64_t i = __atomic_fetch_add(&l.next_block, 1, __ATOMIC_RELAXED);
    if (i >= l.blocks || __atomic_load_n(&l.failed, __ATOMIC_RELAXED)) return false;
    start_block(*w.blocks, i);
    enter_block(*w.blocks);
    return true;
  }
  if (block && block->next) {
    enter_block(*block->next);
    return true;
  }
  // All blocks of this worker are done or wait for the grid.
  unsigned waiting = 0;
  for (Block* b = w.blocks; b; b = b->next) waiting += b->grid_arrived == b->n;
  for (Block* b = w.blocks; b && waiting; b = b->next)
    if (b->finished == b->n) divergent(*b, "grid sync", "this block has left the kernel while others wait for the grid");
  grid_rendezvous(w);
  if (!waiting) return false;
  for (Block* b = w.blocks; b; b = b->next) {
    b->grid_arrived = b->step = 0;
    for (unsigned i = 0; i < b->waves_n; ++i) {
      b->wave[i].ready = b->wave[i].barred;
      b->wave[i].barred = 0;
    }
  }
  enter_block(*w.blocks);
  return true;
}

inline void release_barrier(Block& b) {
  b.arrived = b.step = 0;
  b.vote_result = b.votes;
  b.votes = 0;
  for (unsigned i = 0; i < b.waves_n; ++i) {
    b.wave[i].ready = b.wave[i].barred;
    b.wave[i].barred = 0;
  }
}

// The flat number of the thread to run next in `block`, which may have changed; NONE when the launch is over.
inline unsigned next_thread(Worker& worker) {
  const bool backwards = reversed();
  for (;;) {
    Block& b = *block;
    while (b.step < b.waves_n) {
      const unsigned i = backwards ? b.waves_n - 1 - b.step : b.step;
      Wave& w = b.wave[i];
      if (const uint64_t m = w.fresh | w.ready)
        return i * WAVE + static_cast<unsigned>(backwards ? 63 - __builtin_clzll(m) : __builtin_ctzll(m));
      if (w.waving)
        complete_wave_operation(b, i);
      else
        ++b.step;
    }
    if (b.finished == b.n || (b.grid_arrived && b.grid_arrived == b.n)) {
      if (!next_block(worker)) return NONE;
    } else if (b.arrived == b.n) {
      release_barrier(b);
    } else if (b.grid_arrived) {
      divergent(b, "grid sync", "some threads wait for the grid, the others do not come");
    } else {
      divergent_exit(b);
    }
  }
}

inline void announce(Block& b, unsigned thread) {
  b.current = thread;
  threadIdx = b.worker->index[thread];
}

inline void fiber_main();

// Leaves the running fiber, whose stack is `mine`, for `thread`; `save` is null when it will not be resumed.
inline void go(void** save, Stack* mine, unsigned thread) {
  Block& b = *block;
  Wave& w = b.wave[thread / WAVE];
  const uint64_t lane = bit(thread % WAVE);
  void* context;
  if (w.fresh & lane) {
    w.fresh &= ~lane;
    b.stack[thread] = b.worker->stacks.take();
#ifdef HIP_CPU_ASAN
    __asan_unpoison_memory_region(b.stack[thread]->low, STACK_BYTES);  // its last user left without unwinding
#endif
    context = fresh_context(b.stack[thread], fiber_main);
  } else {
    w.ready &= ~lane;
    context = b.saved[thread];
  }
  announce(b, thread);
  void* gone;
#ifdef HIP_CPU_ASAN
  __sanitizer_start_switch_fiber(save ? (mine ? &mine->fake : &b.worker->home_fake) : nullptr, b.stack[thread]->low,
                                 STACK_BYTES);
#endif
  swap_context(save ? save : &gone, context);
#ifdef HIP_CPU_ASAN
  __sanitizer_finish_switch_fiber(mine ? mine->fake : block->worker->home_fake, nullptr, nullptr);
#endif
}

// Waits until the scheduler picks the running thread again; the caller has entered it into a set of its wave.
HIP_CPU_NOINLINE inline void park() {
  Block& b = *block;
  const unsigned me = b.current;
  const unsigned t = next_thread(*b.worker);
  Wave& w = b.wave[me / WAVE];
  if (block == &b && t == me) {
    w.ready &= ~bit(me % WAVE);
    return;
  }
  go(&b.saved[me], b.stack[me], t);
}

// The running thread is done. True: another one has taken over its stack and is to be run by the caller.
inline bool advance() {
  Block& b = *block;
  Worker& worker = *b.worker;
  const unsigned me = b.current;
  Stack* mine = b.stack[me];
  b.wave[me / WAVE].done |= bit(me % WAVE);
  ++b.finished;
  if (b.arrived) divergent_exit(b);
  const unsigned t = next_thread(worker);
  if (t == NONE) return false;
  Block& now = *block;
  Wave& w = now.wave[t / WAVE];
  if (w.fresh & bit(t % WAVE)) {
    w.fresh &= ~bit(t % WAVE);
    now.stack[t] = mine;
    announce(now, t);
    return true;
  }
  worker.stacks.give(mine);  // nothing takes it before the switch below has left it
  go(nullptr, mine, t);
  __builtin_trap();
}

[[noreturn]] inline void go_home(Worker& worker) {
  void* gone;
#ifdef HIP_CPU_ASAN
  __sanitizer_start_switch_fiber(nullptr, worker.home_low, worker.home_bytes);
#endif
  swap_context(&gone, worker.home);
  __builtin_trap();
}

inline void fiber_main() {
  Worker& worker = *block->worker;
#ifdef HIP_CPU_ASAN
  const void* low;
  size_t bytes;
  __sanitizer_finish_switch_fiber(nullptr, &low, &bytes);
  if (!worker.home_low) worker.home_low = low, worker.home_bytes = bytes;  // the first fiber is entered from home
#endif
  worker.launch->loop(worker.launch->call);
  worker.stacks.give(block->stack[block->current]);
  go_home(worker);
}

// Ends the launch with an error from inside a kernel: the waiting threads of this worker are dropped, not unwound.
[[noreturn]] inline void abandon_launch(int error) {
  Worker& worker = *block->worker;
  __atomic_store_n(&worker.launch->failed, error, __ATOMIC_RELAXED);
  for (Block* b = worker.blocks; b; b = b->next)
    for (unsigned t = 0; t < b->n; ++t) {
      const Wave& w = b->wave[t / WAVE];
      const bool holds_stack = b == block && t == b->current;
      if (holds_stack || ((w.ready | w.waving | w.barred) & bit(t % WAVE))) worker.stacks.give(b->stack[t]);
    }
  go_home(worker);
}

// Runs this worker's part of `launch` to its end.
inline void work(Worker& w, Launch& l, unsigned number) {
  w.launch = &l;
  w.number = number;
  if (w.shape.x != l.block.x || w.shape.y != l.block.y || w.shape.z != l.block.z) {
    w.shape = l.block;
    for (unsigned t = 0; t < l.block.x * l.block.y * l.block.z; ++t) w.index[t] = thread_at(l.block, t);
  }
  blockDim = l.block;
  gridDim = l.grid;
  bool any = true;
  if (l.cooperative) {
    Block** tail = &w.blocks;
    for (uint64_t i = number; i < l.blocks; i += l.workers) {
      Block* b = *tail = new_block(w);
      tail = &b->next;
      prepare_block(w, *b);
      start_block(*b, i);
    }
    any = w.blocks != nullptr;
    if (any) enter_block(*w.blocks);
  } else {
    w.blocks = new_block(w);
    prepare_block(w, *w.blocks);
    any = next_block(w);
  }
  if (any) {
    w.home_low = nullptr;
    const unsigned first = next_thread(w);
    if (first != NONE) go(&w.home, nullptr, first);
  }
  block = nullptr;
  while (Block* b = w.blocks) {
    w.blocks = b->next;
    b->next = w.spare;
    w.spare = b;
  }
}
}  // namespace hip_cpu
