// Template instantiations without end: the compiler has to be stopped.
// expect: timeout|compile_error
// compile_s: 4
#include "right.h"
template <unsigned long long A, unsigned long long B>
struct Tree {
  static constexpr unsigned long long value = Tree<A - 1, B * 2>::value + Tree<A - 1, B * 2 + 1>::value;
};
template <unsigned long long B>
struct Tree<0, B> {
  static constexpr unsigned long long value = B;
};
LAUNCH { y[0] = Tree<40, 1>::value; }
