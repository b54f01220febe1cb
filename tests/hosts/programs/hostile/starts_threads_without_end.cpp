// SPDX-License-Identifier: Apache-2.0
// Starts threads for ever.
#include <thread>

int main() {
  for (;;) std::thread([] {}).detach();
}
