// Calls abort.
// expect: crashed
// reason: SIGABRT
#include "right.h"
#include <cstdlib>
LAUNCH { std::abort(); }
