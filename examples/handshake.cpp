// SPDX-License-Identifier: Apache-2.0
// A worker sleeps until it is told that there is work; the boss forgets a fence, and on x86 the worker sleeps for ever.
//
// Run: linpoint explore handshake.cpp --memory-model tso
// Exit code: 1
//
// The boss stores `work`, then looks whether anybody sleeps; the worker says that it sleeps, then looks for work. Each
// store may still be in a buffer when the other one looks: both see nothing, and nobody wakes the worker up. With
// std::memory_order_seq_cst for both stores it holds.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
namespace {
std::atomic<bool> work, sleeping;
std::mutex mutex;
std::condition_variable wake_up;
bool woken = false;

void worker() {
  sleeping.store(true, std::memory_order_release);
  if (work.load(std::memory_order_acquire)) return;
  std::unique_lock lock(mutex);
  wake_up.wait(lock, [] { return woken; });
}
}  // namespace
int main() {
  std::thread other(worker);
  work.store(true, std::memory_order_release);
  if (sleeping.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(mutex);
    woken = true;
    wake_up.notify_one();
  }
  other.join();
}
