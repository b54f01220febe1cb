// SPDX-License-Identifier: Apache-2.0
// Waits for a lock that it holds.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

}  // namespace

int main() {
  std::thread other([] {
    mutex.lock();
    mutex.lock();
  });
  other.join();
}
