// SPDX-License-Identifier: Apache-2.0
// Waits five times for what never comes, each time with a limit: that is no deadlock.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  int late = 0;
  std::thread waits([&] {
    std::unique_lock guard(mutex);
    for (int round = 0; round < 5; ++round)
      if (condition.wait_for(guard, std::chrono::seconds(1)) == std::cv_status::timeout) ++late;
  });
  waits.join();
  std::printf("%d", late);
}
