// SPDX-License-Identifier: Apache-2.0
// Ends the thread of main, while another goes on.
#include <pthread.h>

#include <thread>

int main() {
  std::thread other([] {});
  other.detach();
  pthread_exit(nullptr);
}
