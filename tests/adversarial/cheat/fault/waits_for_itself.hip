// Two threads that wait for each other.
// expect: timeout
// call_s: 3
#include "right.h"
#include <mutex>
#include <thread>
LAUNCH {
  std::mutex gate;
  gate.lock();
  std::thread([&] { gate.lock(); }).join();
}
