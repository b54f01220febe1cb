// SPDX-License-Identifier: Apache-2.0
// Nobody passes before all are there.
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

namespace {

std::latch latch(2);
std::atomic<int> there;

void arrive() {
  there.fetch_add(1, std::memory_order_relaxed);
  latch.arrive_and_wait();
  assert(there.load(std::memory_order_relaxed) == 2);
}

}  // namespace

int main() {
  std::thread one(arrive);
  std::thread two(arrive);
  one.join();
  two.join();
}
