// SPDX-License-Identifier: Apache-2.0
// What readers read comes before or after what the writer writes, if both take the lock.
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

int number;
std::shared_mutex mutex;

void look() {
  const std::shared_lock guard(mutex);
  volatile int copy = number;
  (void)copy;
}

}  // namespace

int main() {
  std::thread first(look);
  std::thread second(look);
  {
#ifndef RACY
    const std::unique_lock guard(mutex);
#endif
    number = 1;
  }
  first.join();
  second.join();
}
