// SPDX-License-Identifier: Apache-2.0
// A word that is published as a whole; another thread overwrites the half that does not matter.
#include "halves.hpp"

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_ref(reinterpret_cast<std::uint64_t&>(halves)).store(~std::uint64_t{0}, ORDER);
  });
  std::thread second([] {
    std::atomic_ref(halves[0]).store(7, std::memory_order_relaxed);
    const std::atomic_ref whole(reinterpret_cast<std::uint64_t&>(halves));
    if (whole.load(std::memory_order_acquire) >> 32 != 0) assert(message == 1);
  });
  first.join();
  second.join();
}
