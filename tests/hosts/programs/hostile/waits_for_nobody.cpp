// SPDX-License-Identifier: Apache-2.0
// Waits for a signal that nobody sends.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable condition;

}  // namespace

int main() {
  std::thread other([] {
    std::unique_lock guard(mutex);
    condition.wait(guard);
  });
  other.join();
}
