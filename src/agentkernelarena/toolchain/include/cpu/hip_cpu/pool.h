// The OS threads that blocks run on. They start with the first launch that needs them and wait between launches.
//
// The caller of a launch takes part in it. Launches are synchronous and one at a time. A forked child starts with no
// threads; at exit the waiting threads simply end with the process (nothing here is destroyed).
#pragma once
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "worker.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
struct Pool {
  pthread_mutex_t one_launch, lock;
  pthread_cond_t posted, finished, met;
  unsigned threads, busy;
  uint64_t generation;
  Launch* launch;
  unsigned at_grid, waiting_at_grid;
  uint64_t grid_generation;
};
inline Pool pool{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                 PTHREAD_COND_INITIALIZER,  PTHREAD_COND_INITIALIZER,  0, 0, 0, nullptr, 0, 0, 0};

inline unsigned thread_limit() {
  static const unsigned limit = [] {
    const char* e = getenv("AKA_HIP_THREADS");
    long n = e ? strtol(e, nullptr, 10) : 0;
    if (n < 1) {
      cpu_set_t set;
      n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
      if (n > 16) n = 16;
    }
    return static_cast<unsigned>(n > 256 ? 256 : n);
  }();
  return limit;
}

// All workers of a cooperative launch meet here once all their blocks wait for the grid, or are done.
inline void grid_rendezvous(Worker& w) {
  Launch& l = *w.launch;
  const bool waiting = block->grid_arrived != 0;
  pthread_mutex_lock(&pool.lock);
  ++pool.at_grid;
  pool.waiting_at_grid += waiting;
  const uint64_t mine = pool.grid_generation;
  if (pool.at_grid == l.workers) {
    if (pool.waiting_at_grid != 0 && pool.waiting_at_grid != l.workers)
      divergent(*block, "grid sync", "some blocks wait for the grid, others have left the kernel");
    pool.at_grid = pool.waiting_at_grid = 0;
    ++pool.grid_generation;
    pthread_cond_broadcast(&pool.met);
  }
  while (pool.grid_generation == mine && !__atomic_load_n(&l.failed, __ATOMIC_RELAXED))
    pthread_cond_wait(&pool.met, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
  if (int e = __atomic_load_n(&l.failed, __ATOMIC_RELAXED)) abandon_launch(e);
}

inline void fail_launch(int error) {
  pthread_mutex_lock(&pool.lock);
  __atomic_store_n(&block->worker->launch->failed, error, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pool.met);
  pthread_mutex_unlock(&pool.lock);
  abandon_launch(error);
}

#ifndef HIP_CPU_ASAN
inline struct sigaction previous_segv, previous_bus;

// Says which GPU thread touched what, then lets the previous handler (or the default: death) have the signal.
inline void on_fault(int signal, siginfo_t* info, void*) {
  if (const Block* b = block) {
    char text[512];
    const Index& t = threadIdx;
    const bool overflow = b->worker->stacks.guards(info->si_addr);
    int n = snprintf(text, sizeof text, "hip_cpu: %s %p in kernel %s block (%u,%u,%u) thread (%u,%u,%u)%s\n",
                     overflow ? "stack overflow at" : "invalid access to", info->si_addr, b->launch->kernel, b->index.x,
                     b->index.y, b->index.z, t.x, t.y, t.z,
                     overflow ? ": a thread has 128 KiB for its local arrays and calls" : "");
    if (write(2, text, static_cast<size_t>(n)) < 0) {}
  }
  sigaction(signal, signal == SIGBUS ? &previous_bus : &previous_segv, nullptr);
}

inline void watch_faults() {
  static const bool once = [] {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_fault;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &a, &previous_segv);
    sigaction(SIGBUS, &a, &previous_bus);
    return true;
  }();
  (void)once;
  stack_t now;
  if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE)) {
    stack_t s;
    memset(&s, 0, sizeof s);
    s.ss_size = 64 << 10;
    s.ss_sp = mmap(nullptr, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s.ss_sp != MAP_FAILED) sigaltstack(&s, nullptr);
  }
}
#else
inline void watch_faults() {}
#endif

inline void delete_worker(void* p) {
  Worker* w = static_cast<Worker*>(p);
  while (Block* b = w->spare) {
    w->spare = b->next;
#ifdef HIP_CPU_ASAN
    __asan_unpoison_memory_region(b->lds, LDS_BYTES + (MAX_SHARED + 2) * RED_ZONE * 2);
#endif
    free(b->lds);
    free(b);
  }
  delete w;
}

// The Worker of the calling OS thread; goes with the thread.
inline Worker& own_worker() {
  static pthread_key_t key;
  static const int made = pthread_key_create(&key, delete_worker);
  (void)made;
  Worker* w = static_cast<Worker*>(pthread_getspecific(key));
  if (!w) {
    w = new Worker;
    pthread_setspecific(key, w);
    watch_faults();
  }
  return *w;
}

inline void* pool_thread(void* argument) {
  const unsigned number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(argument));
  Worker& w = own_worker();
  uint64_t seen = 0;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (pool.generation == seen || !pool.launch) pthread_cond_wait(&pool.posted, &pool.lock);
    seen = pool.generation;
    Launch* l = pool.launch;
    if (number >= l->workers) continue;
    pthread_mutex_unlock(&pool.lock);
    work(w, *l, number);
    pthread_mutex_lock(&pool.lock);
    if (--pool.busy == 0) pthread_cond_signal(&pool.finished);
  }
}

inline void forget_threads() {  // in a forked child
  pthread_mutex_init(&pool.one_launch, nullptr);
  pthread_mutex_init(&pool.lock, nullptr);
  pthread_cond_init(&pool.posted, nullptr);
  pthread_cond_init(&pool.finished, nullptr);
  pthread_cond_init(&pool.met, nullptr);
  pool.threads = pool.busy = 0;
  pool.launch = nullptr;
}

inline void add_threads(unsigned wanted) {
  static const int once = pthread_atfork(nullptr, nullptr, forget_threads);
  (void)once;
  sigset_t all, old;
  sigfillset(&all);
  // Signals are for the host's own threads, but a fault is the thread's own: were it blocked, it would kill unnamed.
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool.threads < wanted) {
    pthread_t t;
    if (pthread_create(&t, nullptr, pool_thread, reinterpret_cast<void*>(uintptr_t(pool.threads + 1)))) break;
    pthread_detach(t);
    ++pool.threads;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

// Runs the whole launch; returns the error that ended it, or 0.
inline int run(Launch& l) {
  if (block) {
    fprintf(stderr, "hip_cpu: kernel %s launches kernel %s: launches from a kernel are not supported\n",
            block->launch->kernel, l.kernel);
    abort();
  }
  pthread_mutex_lock(&pool.one_launch);
  uint64_t workers = thread_limit();
  if (workers > l.blocks) workers = l.blocks;
  if (workers > 1) {
    add_threads(static_cast<unsigned>(workers) - 1);
    if (workers > pool.threads + 1) workers = pool.threads + 1;
  }
  l.workers = static_cast<unsigned>(workers);
  Worker& mine = own_worker();
  pool.at_grid = pool.waiting_at_grid = 0;
  if (l.workers > 1) {
    pthread_mutex_lock(&pool.lock);
    pool.launch = &l;
    pool.busy = l.workers - 1;
    ++pool.generation;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
  }
  work(mine, l, 0);
  if (l.workers > 1) {
    pthread_mutex_lock(&pool.lock);
    while (pool.busy) pthread_cond_wait(&pool.finished, &pool.lock);
    pool.launch = nullptr;
    pthread_mutex_unlock(&pool.lock);
  }
  pthread_mutex_unlock(&pool.one_launch);
  return __atomic_load_n(&l.failed, __ATOMIC_RELAXED);
}
}  // namespace hip_cpu
