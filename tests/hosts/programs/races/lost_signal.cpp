// SPDX-License-Identifier: Apache-2.0
// Waits for a signal without looking whether it was sent before.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable condition;

}  // namespace

int main() {
  std::thread first([] {
    std::unique_lock guard(mutex);
    condition.wait(guard);
  });
  std::thread second([] { condition.notify_one(); });
  first.join();
  second.join();
}
