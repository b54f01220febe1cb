// SPDX-License-Identifier: Apache-2.0
// Computes for ever, and nobody can see anything of it.
#include <thread>

int main() {
  std::thread other([] {
    volatile unsigned number = 1;
    while (number != 0) number = number * 3 | 1;
  });
  other.join();
}
