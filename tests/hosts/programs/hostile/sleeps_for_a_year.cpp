// SPDX-License-Identifier: Apache-2.0
// Sleeps longer than anybody waits.
#include <chrono>
#include <thread>

int main() {
  std::thread other([] { std::this_thread::sleep_for(std::chrono::hours(24 * 365)); });
  other.join();
}
