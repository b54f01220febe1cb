// SPDX-License-Identifier: Apache-2.0
// Destroys a thread that was not joined, which ends the program.
#include <thread>

int main() {
  const std::thread other([] {});
}
