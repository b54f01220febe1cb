// SPDX-License-Identifier: Apache-2.0
// Writes under a lock for readers and writers: as readers they are together.
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifdef RACY
#define LOCK std::shared_lock
#else
#define LOCK std::unique_lock
#endif

namespace {

int number;
std::shared_mutex mutex;

void increase() {
  const LOCK guard(mutex);
  ++number;
}

}  // namespace

int main() {
  std::thread first(increase);
  std::thread second(increase);
  first.join();
  second.join();
}
