// SPDX-License-Identifier: Apache-2.0
// Threads that join themselves, and one that is asked to stop.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

namespace {

std::atomic<int> rounds;

}  // namespace

int main() {
  {
    const std::jthread counting([] { ++rounds; });
    const std::jthread waiting([](const std::stop_token& token) {
      while (!token.stop_requested()) {
      }
      ++rounds;
    });
  }
  assert(rounds == 2);
}
