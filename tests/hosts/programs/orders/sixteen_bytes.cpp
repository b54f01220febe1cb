// SPDX-License-Identifier: Apache-2.0
// A pair of words that is published as a whole, updated, and read by its second half.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#ifdef RACY
#define ORDER std::memory_order_relaxed
#else
#define ORDER std::memory_order_release
#endif

namespace {

struct alignas(16) Pair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

int message;
std::atomic<Pair> pair;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    pair.store({1, 1}, ORDER);
  });
  std::thread second([] {
    Pair expected{1, 1};
    pair.compare_exchange_strong(expected, {1, 2}, std::memory_order_relaxed);
  });
  const std::atomic_ref half(reinterpret_cast<std::uint64_t*>(&pair)[1]);
  if (half.load(std::memory_order_acquire) == 2) assert(message == 1);
  first.join();
  second.join();
}
