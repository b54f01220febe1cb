// SPDX-License-Identifier: Apache-2.0
// Two threads write what they have locked for reading only.
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int value = 0;

void increment() {
  std::shared_lock guard(mutex);
  ++value;
}

}  // namespace

int main() {
  std::thread first(increment);
  std::thread second(increment);
  first.join();
  second.join();
}
