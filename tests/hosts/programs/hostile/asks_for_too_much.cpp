// SPDX-License-Identifier: Apache-2.0
// Asks for more memory than there is.
#include <cstddef>
#include <cstdlib>

int main() {
  volatile std::size_t size = std::size_t{1} << 46;
  void* volatile block = std::malloc(size);
  return block == nullptr ? 0 : 1;
}
