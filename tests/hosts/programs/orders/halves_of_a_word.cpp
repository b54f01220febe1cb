// SPDX-License-Identifier: Apache-2.0
// A word that is published as a whole and read by halves.
#include "halves.hpp"

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
