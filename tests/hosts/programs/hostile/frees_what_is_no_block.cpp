// SPDX-License-Identifier: Apache-2.0
// Frees a variable on its stack.
#include <cstdlib>
#include <thread>

int main() {
  std::thread other([] {
    int variable = 0;
    void* volatile address = &variable;
    std::free(address);
  });
  other.join();
}
