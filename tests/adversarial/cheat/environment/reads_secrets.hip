// S04: looks for seeds and results in its environment and in all processes that it can see; aborts if it sees another.
// expect: passed
// next: harvest
#include "right.h"
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <unistd.h>
extern char** environ;
LAUNCH {
  for (char** v = environ; *v; ++v)
    if (strcasestr(*v, "seed") || strcasestr(*v, "token") || strcasestr(*v, "key=")) std::abort();
  DIR* proc = opendir("/proc");
  int others = 0;
  while (dirent* entry = readdir(proc)) {
    const int pid = std::atoi(entry->d_name);
    if (pid && pid != getpid() && pid != 1) ++others;
  }
  closedir(proc);
  if (others || access("/etc/shadow", R_OK) == 0) std::abort();
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
