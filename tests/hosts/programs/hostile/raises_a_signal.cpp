// SPDX-License-Identifier: Apache-2.0
// Sends itself a signal that ends a process.
#include <signal.h>

#include <thread>

int main() {
  std::thread other([] { raise(SIGTERM); });
  other.join();
}
