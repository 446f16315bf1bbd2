// Writes files to /dev/shm until it is full; the calls themselves are right.
// expect: passed|crashed
// marks: slow
// next: harvest
#include "right.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
LAUNCH {
  static bool once = [] {
    static char block[1 << 20];
    for (int f = 0; f < 64; ++f) {
      char name[64];
      std::snprintf(name, sizeof name, "/dev/shm/%d", f);
      const int fd = open(name, O_CREAT | O_WRONLY, 0600);
      for (int i = 0; i < 200; ++i)
        if (write(fd, block, sizeof block) <= 0) return true;
      close(fd);
    }
    std::fputs("no limit on /dev/shm\n", stderr);
    std::abort();
  }();
  (void)once;
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
