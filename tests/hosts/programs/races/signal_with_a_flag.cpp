// SPDX-License-Identifier: Apache-2.0
// Looks before it waits.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable condition;
bool sent;

}  // namespace

int main() {
  std::thread first([] {
    std::unique_lock guard(mutex);
    condition.wait(guard, [] { return sent; });
  });
  std::thread second([] {
    {
      const std::lock_guard guard(mutex);
      sent = true;
    }
    condition.notify_one();
  });
  first.join();
  second.join();
}
