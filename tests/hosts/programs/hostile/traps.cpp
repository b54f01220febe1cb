// SPDX-License-Identifier: Apache-2.0
// Executes an instruction that is none.
#include <thread>

int main() {
  std::thread other([] { __builtin_trap(); });
  other.join();
}
