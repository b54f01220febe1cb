// SPDX-License-Identifier: Apache-2.0
// A worker sleeps until it is woken for work. The boss lacks a fence, and on x86 the worker may sleep forever.
//
// Run: linpoint explore handshake.cpp --memory-model tso
// Exit code: 1
//
// The boss stores `work`, then checks whether the worker sleeps; the worker announces that it sleeps, then checks for
// work. Each store may still be in a store buffer when the other thread checks: neither sees the other's store, and no
// thread wakes the worker. With std::memory_order_seq_cst for both stores the program is correct.
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
