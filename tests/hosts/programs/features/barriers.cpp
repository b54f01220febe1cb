// SPDX-License-Identifier: Apache-2.0
// Two threads in step, for two rounds.
#include <atomic>
#include <barrier>
#include <cassert>
#include <thread>

namespace {

std::barrier barrier(2);
std::atomic<int> there;

void work() {
  there.fetch_add(1, std::memory_order_relaxed);
  barrier.arrive_and_wait();
  assert(there.load(std::memory_order_relaxed) == 2);
}

}  // namespace

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
}
