// SPDX-License-Identifier: Apache-2.0
// An update of a half goes on with what was published as a whole.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

namespace {

int message;
alignas(8) std::uint32_t halves[2];

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_ref(reinterpret_cast<std::uint64_t&>(halves)).store(std::uint64_t{1} << 32, std::memory_order_release);
  });
  std::thread second([] {
    const std::atomic_ref half(halves[1]);
#ifdef RACY
    half.store(half.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#else
    half.fetch_add(1, std::memory_order_relaxed);
#endif
  });
  if (std::atomic_ref(halves[1]).load(std::memory_order_acquire) == 2) assert(message == 1);
  first.join();
  second.join();
}
