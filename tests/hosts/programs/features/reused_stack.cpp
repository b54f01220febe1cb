// SPDX-License-Identifier: Apache-2.0
// What was stored to atomic variables on the stack still waits in a buffer when others have their place.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr unsigned kCount = 4;
std::atomic<unsigned> shared;

inline void use_atomics(unsigned value) {
  std::atomic<unsigned> atomics[kCount];
  for (auto& each : atomics) each.store(value, std::memory_order_relaxed);
  assert(atomics[value % kCount].load(std::memory_order_relaxed) == value);
}

inline void use_numbers(unsigned value) {
  unsigned numbers[kCount];
  for (unsigned at = 0; at < kCount; ++at) numbers[at] = value + at;
  for (int time = 0; time < 2; ++time) {
    const unsigned at = (shared.load(std::memory_order_relaxed) + value) % kCount;
    assert(numbers[at] == value + at);
  }
}

void use_again(unsigned value) {
  for (unsigned time = 0; time < 2; ++time) {
    std::atomic<unsigned> own{value + time};
    static_cast<void>(shared.load(std::memory_order_relaxed));
    assert(own.load(std::memory_order_relaxed) == value + time);
    own.store(kCount, std::memory_order_relaxed);
  }
}

void work(unsigned value) {
  use_atomics(value);
  use_numbers(value);
  use_again(value);
  shared.store(value, std::memory_order_relaxed);
}

}  // namespace

int main() {
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
}
