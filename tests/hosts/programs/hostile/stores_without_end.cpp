// SPDX-License-Identifier: Apache-2.0
// Writes for ever what others could see.
#include <atomic>
#include <thread>

namespace {

std::atomic<unsigned> shared;

}  // namespace

int main() {
  std::thread other([] {
    for (unsigned number = 0;; ++number) shared.store(number, std::memory_order_relaxed);
  });
  other.join();
}
