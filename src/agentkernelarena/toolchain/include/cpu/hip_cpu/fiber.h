// Stacks with guard pages, and the switch between them.
//
// A saved context is one pointer, kept by whoever waits: on x86-64 the stack pointer with the callee-saved registers
// below it, elsewhere (or with HIP_CPU_UCONTEXT) a ucontext_t on the waiting stack itself.
#pragma once
#include "build.h"
#include <sys/mman.h>
#include <unistd.h>
#ifdef HIP_CPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__) && !defined(HIP_CPU_UCONTEXT)
#define HIP_CPU_UCONTEXT 1
#endif
#ifdef HIP_CPU_UCONTEXT
#include <ucontext.h>
#endif

#ifndef HIP_CPU_UCONTEXT
extern "C" __attribute__((visibility("hidden"))) void hip_cpu_swap(void** save, void* load);
asm(R"(
.text
.hidden hip_cpu_swap
.globl hip_cpu_swap
.type hip_cpu_swap,@function
hip_cpu_swap:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size hip_cpu_swap,.-hip_cpu_swap
)");
#endif

namespace hip_cpu __attribute__((visibility("hidden"))) {
#ifdef HIP_CPU_ASAN
constexpr size_t STACK_BYTES = 512 << 10;  // instrumented frames are several times larger
#else
constexpr size_t STACK_BYTES = 128 << 10;
#endif

struct Stack {
  char* low;       // lowest usable byte; the guard page lies below
  char* top;       // first frame starts here
  void* fake;      // AddressSanitizer's fake stack while this one waits
  Stack* next;     // in the free list of its worker
};

#ifdef HIP_CPU_UCONTEXT
inline void swap_context(void** save, void* load) {
  ucontext_t me;
  *save = &me;
  swapcontext(&me, static_cast<ucontext_t*>(load));
}
inline void* fresh_context(Stack* s, void (*entry)()) {
  auto* c = reinterpret_cast<ucontext_t*>((reinterpret_cast<uintptr_t>(s->top) - sizeof(ucontext_t)) & ~uintptr_t(63));
  getcontext(c);
  c->uc_stack.ss_sp = s->low;
  c->uc_stack.ss_size = reinterpret_cast<size_t>(c) - reinterpret_cast<size_t>(s->low);
  c->uc_link = nullptr;
  makecontext(c, entry, 0);
  return c;
}
#else
inline void swap_context(void** save, void* load) { hip_cpu_swap(save, load); }
inline void* fresh_context(Stack* s, void (*entry)()) {
  void** p = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(s->top) & ~uintptr_t(15));
  *--p = nullptr;  // return address of `entry`, which never returns; leaves the stack aligned as after a call
  *--p = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--p = nullptr;
  return p;
}
#endif

// A worker's stacks; grows by a chunk at a time and never shrinks until the worker goes.
class StackPool {
 public:
  Stack* take() {
    if (!free_) grow();
    Stack* s = free_;
    free_ = s->next;
    return s;
  }
  void give(Stack* s) {
    s->next = free_;
    free_ = s;
  }
  bool guards(const void* address) const {  // is it in the guard page of one of these stacks?
    const char* a = static_cast<const char*>(address);
    for (const Chunk* c = chunks_; c; c = c->next)
      for (const Stack& s : c->stacks)
        if (a < s.low && a >= s.low - page()) return true;
    return false;
  }
  ~StackPool() {
    while (Chunk* c = chunks_) {
      chunks_ = c->next;
#ifdef HIP_CPU_ASAN
      __asan_unpoison_memory_region(c->base, c->bytes);
#endif
      munmap(c->base, c->bytes);
      free(c);
    }
  }
  static size_t page() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

 private:
  static constexpr int CHUNK = 32;
  struct Chunk { char* base; size_t bytes; Chunk* next; Stack stacks[CHUNK]; };
  void grow() {
    const size_t pitch = STACK_BYTES + page();
    Chunk* c = static_cast<Chunk*>(malloc(sizeof(Chunk)));
    c->bytes = pitch * CHUNK;
    c->base = static_cast<char*>(mmap(nullptr, c->bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (c->base == MAP_FAILED) { perror("hip_cpu: no memory for the stacks of a block's threads"); abort(); }
    c->next = chunks_;
    chunks_ = c;
    for (int i = CHUNK - 1; i >= 0; --i) {
      char* guard = c->base + pitch * static_cast<size_t>(i);
      mprotect(guard, page(), PROT_NONE);
      // Equal offsets in a page would put the hot frames of all threads into the same few sets of the L1 cache.
      size_t stagger = static_cast<size_t>((made_ + i) % 61) * 320;
      c->stacks[i] = Stack{guard + page(), guard + pitch - stagger, nullptr, nullptr};
      give(&c->stacks[i]);
    }
    made_ += CHUNK;
  }
  Chunk* chunks_ = nullptr;
  Stack* free_ = nullptr;
  int made_ = 0;
};
}  // namespace hip_cpu
