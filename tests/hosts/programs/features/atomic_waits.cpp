// SPDX-License-Identifier: Apache-2.0
// Waiting for an atomic to change, without a loop.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> value;
int message;

}  // namespace

int main() {
  std::thread other([] {
    message = 1;
    value.store(1);
    value.notify_one();
  });
  value.wait(0, std::memory_order_acquire);
  assert(message == 1);
  other.join();
}
