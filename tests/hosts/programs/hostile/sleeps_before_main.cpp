// SPDX-License-Identifier: Apache-2.0
// Waits in a constructor for what no thread can bring before main.
#include <condition_variable>
#include <mutex>

namespace {

int wait() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock guard(mutex);
  condition.wait(guard);
  return 0;
}

const int number = wait();

}  // namespace

int main() { return number; }
