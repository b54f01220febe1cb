// SPDX-License-Identifier: Apache-2.0
// A message behind a release store that a relaxed update follows: the release sequence goes on.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message;
std::atomic<int> stage;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    stage.store(1, std::memory_order_release);
  });
  std::thread second([] {
    stage.fetch_add(2, std::memory_order_relaxed);
    if (stage.load(std::memory_order_acquire) == 3) assert(message == 1);
  });
  first.join();
  second.join();
}
