// SPDX-License-Identifier: Apache-2.0
// Writes through a null pointer.
#include <thread>

int main() {
  std::thread other([] {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  });
  other.join();
}
