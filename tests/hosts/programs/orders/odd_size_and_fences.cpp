// SPDX-License-Identifier: Apache-2.0
// An atomic of an odd size, published by fences around relaxed accesses.
#include "triple.hpp"

int main() {
  std::thread first([] {
    message = 1;
#ifndef RACY
    std::atomic_thread_fence(std::memory_order_release);
#endif
    triple.store({1, 2, 3}, std::memory_order_relaxed);
  });
  std::thread second([] {
    if (triple.load(std::memory_order_relaxed).third == 3) {
      std::atomic_thread_fence(std::memory_order_acquire);
      assert(message == 1);
    }
  });
  first.join();
  second.join();
}
