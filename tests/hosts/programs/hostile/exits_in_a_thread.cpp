// SPDX-License-Identifier: Apache-2.0
// Ends the program from a thread.
#include <cstdlib>
#include <thread>

int main() {
  std::thread other([] { std::exit(3); });
  other.join();
}
