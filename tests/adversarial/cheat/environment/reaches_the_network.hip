// E03: tries to reach anything outside, and the abstract sockets of its host.
// expect: passed
// next: harvest
#include "right.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>
LAUNCH {
  for (const char* address : {"1.1.1.1", "10.0.0.1", "192.168.0.1", "169.254.169.254"}) {
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(80);
    inet_pton(AF_INET, address, &to.sin_addr);
    if (connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS) std::abort();
    close(s);
  }
  right_rmsnorm(x, weight, eps, y, rows, cols);
}
