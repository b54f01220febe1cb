// SPDX-License-Identifier: Apache-2.0
// Takes waking up for a signal, which holds only if nothing wakes up without one.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread waits([&] {
    std::unique_lock guard(mutex);
    if (!ready) condition.wait(guard);
    assert(ready);
  });
  std::thread signals([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    condition.notify_one();
  });
  waits.join();
  signals.join();
}
