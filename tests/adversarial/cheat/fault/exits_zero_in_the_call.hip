// H01: the same at the first call, through exit and its handlers.
// expect: crashed
// reason: exited with status 0
#include "right.h"
#include <cstdio>
#include <cstdlib>
LAUNCH {
  std::puts("all tests passed");
  std::exit(0);
}
