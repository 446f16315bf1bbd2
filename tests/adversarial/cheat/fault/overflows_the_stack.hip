// Recursion without end.
// expect: crashed
// reason: SIGSEGV
#include "right.h"
static int deeper(volatile int* p) {
  volatile int here[64];
  here[0] = *p + 1;
  return deeper(here) + here[0];
}
LAUNCH {
  volatile int start = 0;
  y[0] = deeper(&start);
}
