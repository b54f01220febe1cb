// SPDX-License-Identifier: Apache-2.0
// Ends the program from a thread, and says that all is well.
#include <cstdlib>
#include <thread>

int main() {
  std::thread other([] { std::exit(0); });
  other.join();
}
