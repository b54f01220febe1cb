// SPDX-License-Identifier: Apache-2.0
// An exchange that fails has the order that was given for that.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RACY
#define FAILED std::memory_order_relaxed
#else
#define FAILED std::memory_order_acquire
#endif

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
    int expected = 0;
    if (!stage.compare_exchange_strong(expected, 0, std::memory_order_acq_rel, FAILED)) assert(message == 1);
  });
  first.join();
  second.join();
}
