// K07: leaves files, folders and links in /tmp, one of them closed to everybody.
// expect: passed
// next: harvest
#include "right.h"
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  mkdir("/tmp/planted", 0700);
  mkdir("/tmp/planted/deeper", 0700);
  if (FILE* f = std::fopen("/tmp/planted/deeper/file", "w")) std::fclose(f);
  (void)!symlink("/", "/tmp/planted/link");
  mkfifo("/tmp/planted/pipe", 0600);
  chmod("/tmp/planted/deeper", 0);
  chmod("/tmp/planted", 0);
}
