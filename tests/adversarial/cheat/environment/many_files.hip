// Thousands of empty files.
// expect: passed
// next: harvest
#include "right.h"
#include <fcntl.h>
#include <string>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  static int once = 0;
  if (once++) return;
  for (int i = 0; i < 20000; ++i) close(open(("/tmp/f" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0));
}
