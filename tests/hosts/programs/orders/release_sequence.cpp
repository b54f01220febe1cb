// SPDX-License-Identifier: Apache-2.0
// A release store that another thread's relaxed update follows, or a relaxed store, which ends the sequence.
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
    stage.store(1, std::memory_order_release);
  });
  std::thread second([] {
#ifdef RACY
    if (stage.load(std::memory_order_relaxed) == 1) stage.store(2, std::memory_order_relaxed);
#else
    int expected = 1;
    stage.compare_exchange_strong(expected, 2, std::memory_order_relaxed);
#endif
  });
  if (stage.load(std::memory_order_acquire) == 2) assert(message == 1);
  first.join();
  second.join();
}
