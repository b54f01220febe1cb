// SPDX-License-Identifier: Apache-2.0
// Writes to a block that was freed.
#include <thread>

int main() {
  std::thread other([] {
    int* block = new int(1);
    volatile int* volatile same = block;
    delete block;
    *same = 2;
  });
  other.join();
}
