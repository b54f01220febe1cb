// SPDX-License-Identifier: Apache-2.0
// Two threads count under a lock.
#include <cstdio>
#include <mutex>
#include <thread>

namespace {

int counter;
std::mutex mutex;

void count() {
  const std::lock_guard guard(mutex);
  ++counter;
}

}  // namespace

int main() {
  std::thread first([] { count(); });
  std::thread second([] { count(); });
  first.join();
  second.join();
  std::printf("%d\n", counter);
}
