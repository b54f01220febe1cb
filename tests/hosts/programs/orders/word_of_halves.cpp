// SPDX-License-Identifier: Apache-2.0
// The second half of a word that is read as a whole.
#include "halves.hpp"

int main() {
  std::thread first([] {
    message = 1;
    std::atomic_ref(halves[1]).store(1, ORDER);
  });
  std::thread second([] {
    const std::atomic_ref whole(reinterpret_cast<std::uint64_t&>(halves));
    if (whole.load(std::memory_order_acquire) != 0) assert(message == 1);
  });
  first.join();
  second.join();
}
