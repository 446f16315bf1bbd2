// E06: namespaces, mounts, devices and other users; aborts if any of it works.
// expect: passed
// next: harvest
#include "right.h"
#include <cstdlib>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
LAUNCH {
  if (unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 || mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) == 0 ||
      setuid(0) == 0 || chroot("/tmp") == 0 || mknod("/tmp/disk", S_IFBLK | 0600, makedev(254, 0)) == 0 ||
      sethostname("mine", 4) == 0)
    std::abort();
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
