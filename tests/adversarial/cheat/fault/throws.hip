// An exception that leaves a C function.
// expect: crashed
// reason: SIGABRT
#include "right.h"
#include <stdexcept>
LAUNCH { throw std::runtime_error("not caught"); }
