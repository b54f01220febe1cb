// SPDX-License-Identifier: Apache-2.0
// Throws in a thread, and nobody catches.
#include <stdexcept>
#include <thread>

int main() {
  std::thread other([] { throw std::runtime_error("nobody catches this"); });
  other.join();
}
