// Reads address 8.
// expect: crashed
// reason: SIGSEGV
#include "right.h"
LAUNCH { y[0] = *reinterpret_cast<volatile float*>(8); }
