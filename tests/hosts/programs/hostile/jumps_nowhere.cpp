// SPDX-License-Identifier: Apache-2.0
// Calls a function that is not there.
#include <thread>

int main() {
  std::thread other([] {
    void (*volatile nowhere)() = nullptr;
    nowhere();
  });
  other.join();
}
