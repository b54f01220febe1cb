// SPDX-License-Identifier: Apache-2.0
// A half that is published, and then overwritten together with the other: who reads that reads another store.
#include "halves.hpp"

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_ref(halves[1]).store(1, std::memory_order_release);
    std::atomic_ref(reinterpret_cast<std::uint64_t&>(halves)).store(~std::uint64_t{0}, ORDER);
  });
  std::thread second([] {
    if (std::atomic_ref(halves[1]).load(std::memory_order_acquire) == ~std::uint32_t{0}) assert(message == 1);
  });
  first.join();
  second.join();
}
