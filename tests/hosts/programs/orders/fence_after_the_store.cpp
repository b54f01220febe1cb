// SPDX-License-Identifier: Apache-2.0
// A release fence is for the stores behind it, not for those before.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message;
std::atomic<bool> ready;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
#ifdef RACY
    ready.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ready.store(true, std::memory_order_relaxed);
#endif
  });
  std::thread second([] {
    if (ready.load(std::memory_order_acquire)) assert(message == 1);
  });
  first.join();
  second.join();
}
