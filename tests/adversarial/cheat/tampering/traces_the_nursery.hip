// H14: attaches to its parent and to process 1 with ptrace and through /proc/PID/mem; aborts if it gets in.
// expect: passed
#include "right.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
  for (int pid : {getppid(), 1}) {
    const std::string proc = "/proc/" + std::to_string(pid);
    bool in = ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 || open((proc + "/mem").c_str(), O_RDWR) >= 0 ||
              open((proc + "/environ").c_str(), O_RDONLY) >= 0;
    for (int fd = 0; fd < 16; ++fd) in |= open((proc + "/fd/" + std::to_string(fd)).c_str(), O_RDWR) >= 0;
    char byte;
    iovec own = {&byte, 1}, other = {reinterpret_cast<void*>(0x400000), 1};
    in |= process_vm_readv(pid, &own, 1, &other, 1, 0) > 0;
    if (in) {
      std::fprintf(stderr, "got into process %d\n", pid);
      std::abort();
    }
  }
}
