// SPDX-License-Identifier: Apache-2.0
// A buffer of one element between a producer and a consumer.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
int element;

void put(int value) {
  std::unique_lock guard(mutex);
  changed.wait(guard, [] { return element == 0; });
  element = value;
  changed.notify_one();
}

int take() {
  std::unique_lock guard(mutex);
  changed.wait(guard, [] { return element != 0; });
  const int value = element;
  element = 0;
  changed.notify_one();
  return value;
}

}  // namespace

int main() {
  std::thread producer([] {
    put(1);
    put(2);
  });
  assert(take() == 1);
  assert(take() == 2);
  producer.join();
}
