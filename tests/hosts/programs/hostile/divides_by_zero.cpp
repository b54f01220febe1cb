// SPDX-License-Identifier: Apache-2.0
// Divides an integer by zero.
#include <thread>

int main() {
  std::thread other([] {
    volatile int zero = 0;
    volatile int result = 10 / zero;
    (void)result;
  });
  other.join();
}
