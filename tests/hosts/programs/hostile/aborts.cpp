// SPDX-License-Identifier: Apache-2.0
// Calls abort in a thread.
#include <cstdlib>
#include <thread>

int main() {
  std::thread other([] { std::abort(); });
  other.join();
}
