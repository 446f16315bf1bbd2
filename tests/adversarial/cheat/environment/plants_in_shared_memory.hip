// K07: leaves files in /dev/shm and in /dev itself.
// expect: passed
// next: harvest
#include "right.h"
#include <cstdio>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (const char* name : {"/dev/shm/planted", "/dev/planted", "/dev/pts/planted", "/planted", "/inbox/planted", "/run/planted"})
    if (FILE* f = std::fopen(name, "w")) std::fclose(f);
}
