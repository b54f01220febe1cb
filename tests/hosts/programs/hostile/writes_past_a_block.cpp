// SPDX-License-Identifier: Apache-2.0
// Writes a megabyte behind a block of 16 bytes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

int main() {
  std::thread other([] {
    char* block = static_cast<char*>(std::malloc(16));
    char* volatile end = block + 16;
    std::memset(end, 0x5a, 1 << 20);
    std::printf("%d", end[5]);
  });
  other.join();
}
