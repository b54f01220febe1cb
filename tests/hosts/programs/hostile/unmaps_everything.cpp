// SPDX-License-Identifier: Apache-2.0
// Gives back memory that is not its own.
#include <sys/mman.h>

#include <cstdint>

int main() {
  const auto here = reinterpret_cast<std::uintptr_t>(&main) & ~std::uintptr_t{0xfff};
  return munmap(reinterpret_cast<void*>(here), 4096);
}
