// SPDX-License-Identifier: Apache-2.0
// What a run leaves in globals and on the heap is not there in the next one.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>

namespace {

int plain = 7;
std::vector<int> grows = {1, 2, 3};
std::atomic<int> shared;

}  // namespace

int main() {
  assert(plain == 7);
  assert(grows.size() == 3);
  plain = 8;
  grows.push_back(4);
  std::thread other([] { shared.store(1, std::memory_order_relaxed); });
  shared.store(2, std::memory_order_relaxed);
  other.join();
}
