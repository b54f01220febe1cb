// SPDX-License-Identifier: Apache-2.0
// Ends the program without any cleaning up.
#include <unistd.h>

#include <thread>

int main() {
  std::thread other([] { _exit(4); });
  other.join();
}
