// SPDX-License-Identifier: Apache-2.0
// Prints how often a wait with a limit was woken, and how often it gave up.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  int woken = 0;
  int late = 0;
  std::thread waits([&] {
    std::unique_lock guard(mutex);
    while (!ready)
      ++(condition.wait_for(guard, std::chrono::milliseconds(5)) == std::cv_status::timeout ? late : woken);
  });
  std::thread signals([&] {
    {
      const std::lock_guard guard(mutex);
      ready = true;
    }
    condition.notify_one();
  });
  waits.join();
  signals.join();
  std::printf("%d %d", woken, late);
}
