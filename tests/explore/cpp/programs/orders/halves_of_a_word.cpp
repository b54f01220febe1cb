// SPDX-License-Identifier: Apache-2.0
// A word that is published as a whole and read by halves.
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

int message;
alignas(8) std::uint32_t halves[2];

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_ref(reinterpret_cast<std::uint64_t&>(halves)).store(~std::uint64_t{0}, ORDER);
  });
  std::thread second([] {
    if (std::atomic_ref(halves[1]).load(std::memory_order_acquire) != 0) assert(message == 1);
  });
  first.join();
  second.join();
}
