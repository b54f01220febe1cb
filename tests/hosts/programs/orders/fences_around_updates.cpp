// SPDX-License-Identifier: Apache-2.0
// A release fence before a relaxed update, and an acquire fence behind a relaxed one.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message;
std::atomic<int> stage;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_thread_fence(std::memory_order_release);
    stage.fetch_add(1, std::memory_order_relaxed);
  });
  std::thread second([] {
    if (stage.exchange(2, std::memory_order_relaxed) == 1) {
#ifndef RACY
      std::atomic_thread_fence(std::memory_order_acquire);
#endif
      assert(message == 1);
    }
  });
  first.join();
  second.join();
}
