// H01: prints what a harness might look for and ends with status 0 while it is loaded.
// expect: crashed
// reason: exited with status 0
#include "right.h"
#include <cstdio>
#include <unistd.h>
static struct Liar {
  Liar() {
    std::puts("PASS\nCORRECTNESS: passed\n{\"outcome\": \"passed\", \"speedup\": 100.0}");
    std::fflush(stdout);
    _exit(0);
  }
} liar;
LAUNCH {}
