// From a launch in the source to a run of the pool, with the checks that a driver makes.
#pragma once
#include "shared.h"

struct hip_cpu_stream;
typedef hip_cpu_stream* hipStream_t;

namespace hip_cpu __attribute__((visibility("hidden"))) {
inline thread_local int last_error = 0;
inline int failed(int error) {
  if (error) last_error = error;
  return error;
}

struct Configuration {
  const char* kernel;
  dim3 grid, block;
  size_t dynamic_bytes;
  Configuration(const char* name, dim3 g, dim3 b, size_t bytes = 0, hipStream_t = nullptr)
      : kernel(name), grid(g), block(b), dynamic_bytes(bytes) {}
};

inline int check(const Configuration& c) {
  const uint64_t threads = uint64_t(c.block.x) * c.block.y * c.block.z;
  const bool block_ok = c.block.x <= MAX_THREADS && c.block.y <= MAX_THREADS && c.block.z <= MAX_THREADS &&
                        threads >= 1 && threads <= MAX_THREADS;
  const bool grid_ok = c.grid.x >= 1 && c.grid.y >= 1 && c.grid.z >= 1 && c.grid.x <= 0x7FFFFFFFu &&
                       c.grid.y <= 65535u && c.grid.z <= 65535u;
  if (!block_ok || !grid_ok) return ERROR_INVALID_CONFIGURATION;
  return c.dynamic_bytes > LDS_BYTES ? ERROR_INVALID_VALUE : 0;
}

template <class Call> void run_threads(void* call) {
  Call& c = *static_cast<Call*>(call);
  do c();
  while (advance());
}

template <class Call> int execute(const Configuration& c, Call& call, bool cooperative = false) {
  if (int e = check(c)) return failed(e);
  Launch l{c.kernel, c.grid, c.block, c.dynamic_bytes, cooperative, run_threads<Call>, &call};
  l.blocks = uint64_t(c.grid.x) * c.grid.y * c.grid.z;
  return failed(run(l));
}

// `kernel<<<...>>>(arguments)`: arguments are evaluated once and handed to every thread by value.
template <class Kernel> struct Launcher {
  Kernel kernel;
  Configuration configuration;
  template <class... A> int operator()(A... a) const {
    auto call = [&] { kernel(a...); };
    return execute(configuration, call);
  }
};
template <class Kernel> Launcher<Kernel> launcher(const char* name, Kernel k, dim3 grid, dim3 block) {
  return {k, Configuration(name, grid, block)};
}
template <class Kernel>
Launcher<Kernel> launcher(const char* name, Kernel k, dim3 grid, dim3 block, size_t bytes, hipStream_t s = nullptr) {
  return {k, Configuration(name, grid, block, bytes, s)};
}

// Kernels behind `const void*`: the rewriter turns (void*)kernel into erased("kernel", kernel), which remembers how
// to call it.
struct Erased {
  const void* function;
  const char* name;
  int (*launch)(const void* function, const Configuration&, void** arguments, bool cooperative);
  Erased* next;
};
inline Erased* erased_kernels = nullptr;

template <class... P, size_t... I>
int launch_with(void (*f)(P...), const Configuration& c, void** a, bool cooperative, std::index_sequence<I...>) {
  (void)a;
  auto call = [&] { f(*static_cast<std::remove_reference_t<P>*>(a[I])...); };
  return execute(c, call, cooperative);
}
template <class... P> int launch_typed(const void* f, const Configuration& c, void** a, bool cooperative) {
  return launch_with(reinterpret_cast<void (*)(P...)>(const_cast<void*>(f)), c, a, cooperative,
                     std::index_sequence_for<P...>());
}
template <class... P> void* erased(const char* name, void (*f)(P...)) {
  static Erased entry;  // of this signature; a second kernel with it needs its own
  const void* p = reinterpret_cast<const void*>(f);
  pthread_mutex_lock(&pool.lock);
  bool known = false;
  for (const Erased* e = erased_kernels; e; e = e->next) known = known || e->function == p;
  if (!known) {
    Erased* e = entry.function ? new Erased : &entry;
    *e = Erased{p, name, launch_typed<P...>, erased_kernels};
    erased_kernels = e;
  }
  pthread_mutex_unlock(&pool.lock);
  return const_cast<void*>(p);
}
inline const Erased* find_erased(const void* f) {
  for (const Erased* e = erased_kernels; e; e = e->next)
    if (e->function == f) return e;
  return nullptr;
}
}  // namespace hip_cpu

#define HIP_CPU_LAUNCH(kernel, ...) \
  ::hip_cpu::launcher(#kernel, [&](auto... hip_cpu_a) { (kernel)(hip_cpu_a...); }, __VA_ARGS__)
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...)                                                 \
  ::hip_cpu::launcher(#kernel, [&](auto... hip_cpu_a) { (kernel)(hip_cpu_a...); }, grid, block, bytes, stream)(__VA_ARGS__)

using hip_cpu::blockDim;
using hip_cpu::blockIdx;
using hip_cpu::gridDim;
using hip_cpu::threadIdx;
