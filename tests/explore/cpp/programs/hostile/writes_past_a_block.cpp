// SPDX-License-Identifier: Apache-2.0
// Writes a megabyte behind a block of 16 bytes.
#include <cstdlib>
#include <cstring>
#include <thread>

int main() {
  std::thread other([] {
    char* block = static_cast<char*>(std::malloc(16));
    void* volatile end = block + 16;
    std::memset(end, 0x5a, 1 << 20);
  });
  other.join();
}
