// Finds the descriptor of the judge's shared memory and truncates it: the judge would die of SIGBUS.
// expect: passed|crashed
#include "right.h"
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>
static struct Hunter {
  Hunter() {
    std::thread([] {
      for (;;)
        for (int fd = 3; fd < 64; ++fd) {
          char path[64], name[256];
          std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
          const long n = readlink(path, name, sizeof name - 1);
          if (n > 0 && (name[n] = 0, std::strstr(name, "memfd:"))) (void)!ftruncate(fd, 0);
        }
    }).detach();
  }
} hunter;
LAUNCH { right_rmsnorm(x, weight, eps, y, rows, cols); }
