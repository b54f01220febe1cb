// SPDX-License-Identifier: Apache-2.0
// A message that is waited for in a loop.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message;
std::atomic<bool> ready;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    ready.store(true, std::memory_order_release);
  });
  std::thread second([] {
    while (!ready.load(std::memory_order_acquire)) {
    }
    assert(message == 1);
  });
  first.join();
  second.join();
}
