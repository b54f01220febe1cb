// SPDX-License-Identifier: Apache-2.0
// Ends while detached threads still run, one of them for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> stop;

}  // namespace

int main() {
  std::thread([] {
    while (!stop.load()) {
    }
  }).detach();
  std::thread([] {}).detach();
}
