// SPDX-License-Identifier: Apache-2.0
// Two owners count down, and the last one frees the block that holds the count.
#include <atomic>
#include <thread>

namespace {

std::atomic<int>* owners = new std::atomic<int>(2);

void leave() {
  if (owners->fetch_sub(1, std::memory_order_acq_rel) == 1) delete owners;
}

}  // namespace

int main() {
  std::thread first(leave);
  std::thread second(leave);
  first.join();
  second.join();
}
