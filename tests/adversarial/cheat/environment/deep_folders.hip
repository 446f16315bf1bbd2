// Folders nested so deeply that recursive removal gives up.
// expect: passed
// next: harvest
#include "right.h"
#include <sys/stat.h>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  if (chdir("/tmp") == 0)
    for (int i = 0; i < 3000; ++i)
      if (mkdir("d", 0700) != 0 || chdir("d") != 0) break;
  (void)!chdir("/");
}
