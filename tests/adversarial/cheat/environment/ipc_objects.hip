// K07: objects of the kernel that are no files and outlive their process: queues, semaphores, shared memory, keys.
// expect: passed
// next: harvest
#include "right.h"
#include <sys/syscall.h>
#include <unistd.h>
LAUNCH {
  right_rmsnorm(x, weight, eps, y, rows, cols);
#ifdef __x86_64__
  syscall(SYS_shmget, 0x706c616e, 64, 01777);
  syscall(SYS_msgget, 0x706c616e, 01777);
  syscall(SYS_semget, 0x706c616e, 1, 01777);
  syscall(SYS_mq_open, "planted", 0102, 0777, nullptr);
  syscall(SYS_add_key, "user", "planted", "x", 1, -4);
  syscall(SYS_add_key, "user", "planted", "x", 1, -3);
#endif
}
