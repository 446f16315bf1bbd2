// What a block in flight consists of: its threads as bits of its waves, its barrier, its LDS.
#pragma once
#include "fiber.h"
#include "vector.h"

namespace hip_cpu __attribute__((visibility("hidden"))) {
constexpr unsigned WAVE = HIP_CPU_WAVE;
constexpr unsigned MAX_THREADS = 1024, MAX_WAVES = MAX_THREADS / WAVE;
constexpr unsigned NONE = ~0u;
constexpr size_t LDS_BYTES = 64 << 10;
constexpr unsigned MAX_SHARED = 512;  // __shared__ declarations (instantiations counted) of one library
#ifdef HIP_CPU_ASAN
constexpr size_t RED_ZONE = 128;
#else
constexpr size_t RED_ZONE = 0;
#endif

enum class WaveOp : unsigned char { SYNC, VOTE, SHUFFLE, MATCH };

// One kernel launch. `loop` runs thread after thread on the stack it is called on until nothing fresh is left.
struct Launch {
  const char* kernel;
  dim3 grid, block;
  size_t dynamic_bytes;
  bool cooperative;
  void (*loop)(void*);
  void* call;
  uint64_t blocks = 0;
  uint64_t next_block = 0;  // atomic
  unsigned workers = 1;
  int failed = 0;  // atomic: a hipError_t that ends the launch
};

struct Wave {
  // Sets of lanes: every lane of `lanes` is in exactly one of the others, or is the one that runs.
  uint64_t lanes, fresh, ready, waving, barred, done;
  bool mixed;  // the lanes in `waving` wait at different operations
};

// What a lane that waits at a wave operation asked for.
struct Request {
  const char* file;
  const char* what;
  uint64_t mask;  // of a _sync operation; 0: whichever lanes are there
  int line;
  WaveOp op;
};

struct SharedPlace { uint64_t epoch; char* at; };

struct Worker;
struct Block {
  Launch* launch;
  Worker* worker;
  unsigned n, waves_n;
  unsigned step;  // waves before this one in the order of the sweep are all blocked
  unsigned current;
  unsigned arrived, finished, grid_arrived;
  Index index;
  const char *barrier_file, *barrier_what;
  int barrier_line;
  unsigned votes, vote_result;
  Wave wave[MAX_WAVES];
  void* saved[MAX_THREADS];
  Stack* stack[MAX_THREADS];
  uint64_t in[MAX_THREADS], out[MAX_THREADS];
  unsigned source[MAX_THREADS];
  Request request[MAX_THREADS];
  // LDS
  uint64_t epoch;
  char* lds;
  size_t lds_used;    // with red zones
  size_t lds_needed;  // as the hardware counts
  char* dynamic;
  SharedPlace place[MAX_SHARED];
  Block* next;
};

inline thread_local Block* block = nullptr;  // what this OS thread is executing; null outside kernels
inline thread_local Index threadIdx, blockIdx;
inline thread_local dim3 blockDim, gridDim;

inline unsigned lane_id() { return block->current % WAVE; }
inline uint64_t bit(unsigned lane) { return uint64_t(1) << lane; }
inline uint64_t low_bits(unsigned n) { return n >= 64 ? ~uint64_t(0) : bit(n) - 1; }
inline bool reversed() {
  static const bool yes = [] {
    const char* e = getenv("AKA_HIP_ORDER");
    return e && strcmp(e, "reverse") == 0;
  }();
  return yes;
}
inline Index thread_at(const dim3& d, unsigned flat) { return {flat % d.x, flat / d.x % d.y, flat / (d.x * d.y)}; }

inline void print_place(const Block& b) {
  fprintf(stderr, " in kernel %s block (%u,%u,%u)", b.launch->kernel, b.index.x, b.index.y, b.index.z);
}

// Ends the process: the kernel broke a rule of the programming model. `detail` says which threads are where.
[[noreturn]] inline void divergent(const Block& b, const char* what, const char* detail) {
  fflush(stdout);
  fprintf(stderr, "hip_cpu: divergent %s", what);
  print_place(b);
  fprintf(stderr, ": %s\n", detail);
  fflush(stderr);
  abort();
}
}  // namespace hip_cpu

