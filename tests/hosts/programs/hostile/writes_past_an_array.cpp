// SPDX-License-Identifier: Apache-2.0
// Writes megabytes behind a global array.
#include <cstdio>
#include <thread>

namespace {

int numbers[4];

}  // namespace

int main() {
  std::thread other([] {
    for (volatile int index = 0; index < 1 << 20; index = index + 1) numbers[index] = 0x5a5a5a5a;
    std::printf("%d", numbers[3]);
  });
  other.join();
}
