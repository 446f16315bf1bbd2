// Touches memory until there is no more.
// expect: crashed
// call_s: 60
// marks: slow
#include "right.h"
#include <cstdlib>
#include <cstring>
LAUNCH {
  for (;;) {
    void* p = std::malloc(64 << 20);
    if (p) std::memset(p, 1, 64 << 20);
  }
}
