// SPDX-License-Identifier: Apache-2.0
// Frees a block twice.
#include <thread>

int main() {
  std::thread other([] {
    int* block = new int(1);
    int* volatile same = block;
    delete block;
    delete same;
  });
  other.join();
}
