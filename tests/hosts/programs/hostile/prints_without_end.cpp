// SPDX-License-Identifier: Apache-2.0
// Prints for ever.
#include <cstdio>
#include <thread>

int main() {
  std::thread other([] {
    for (;;) std::puts("and so on");
  });
  other.join();
}
