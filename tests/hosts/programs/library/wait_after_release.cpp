// SPDX-License-Identifier: Apache-2.0
// Waiting for an atomic to change. The C++ library of g++ 12 looks whether anybody waits by a load that may overtake
// the store before it, so that a wake-up can be lost on x86; the standard knows no reason why it should.
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
    value.store(1, std::memory_order_release);
    value.notify_one();
  });
  value.wait(0, std::memory_order_acquire);
  assert(message == 1);
  other.join();
}
