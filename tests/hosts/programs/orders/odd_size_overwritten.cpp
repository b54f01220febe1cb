// SPDX-License-Identifier: Apache-2.0
// An atomic of an odd size: who reads a later relaxed store does not read the one that was released.
#include "triple.hpp"

#ifdef RACY
#define ORDER std::memory_order_relaxed
#else
#define ORDER std::memory_order_release
#endif

int main() {
  std::thread first([] {
    message = 1;
    triple.store({1, 1, 1}, std::memory_order_release);
    triple.store({2, 2, 2}, ORDER);
  });
  std::thread second([] {
    if (triple.load(std::memory_order_acquire).third == 2) assert(message == 1);
  });
  first.join();
  second.join();
}
