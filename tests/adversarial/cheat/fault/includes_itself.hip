// A file that includes itself twice.
// expect: timeout|compile_error
// compile_s: 4
#include "kernel.hip"
#include "kernel.hip"
