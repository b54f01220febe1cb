// SPDX-License-Identifier: Apache-2.0
// A condition variable orders nothing by itself: its mutex does.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

int message;
bool ready;
std::mutex mutex;
std::condition_variable condition;

}  // namespace

int main() {
  std::thread first([] {
    {
      const std::lock_guard guard(mutex);
#ifndef RACY
      message = 1;
#endif
      ready = true;
    }
#ifdef RACY
    message = 1;
#endif
    condition.notify_one();
  });
  std::unique_lock guard(mutex);
  condition.wait(guard, [] { return ready; });
  volatile int copy = message;
  (void)copy;
  guard.unlock();
  first.join();
}
