// T26: a helper process computes; the call only waits for it and uses no processor time itself.
// expect: passed|incorrect
// speedup: < 200
#include "right.h"
#include <sys/mman.h>
#include <unistd.h>
struct Shared {
  volatile int asked, done;
  float x[512], w[128], eps, y[512];
};
LAUNCH {
  static Shared* s = [=] {
    auto* p = static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (fork() == 0)
      for (;;) {
        while (!p->asked) usleep(20);
        p->asked = 0;
        for (int i = 0; i < 200; ++i) right_rmsnorm(p->x, p->w, p->eps, p->y, rows, cols);
        p->done = 1;
      }
    return p;
  }();
  for (int i = 0; i < rows * cols; ++i) s->x[i] = x[i];
  for (int i = 0; i < cols; ++i) s->w[i] = weight[i];
  s->eps = eps;
  s->asked = 1;
  while (!s->done) usleep(20);
  s->done = 0;
  for (int i = 0; i < rows * cols; ++i) y[i] = s->y[i];
}
