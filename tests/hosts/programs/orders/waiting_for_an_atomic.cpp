// SPDX-License-Identifier: Apache-2.0
// A wait for an atomic has the order that was given.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RACY
#define ORDER std::memory_order_relaxed
#else
#define ORDER std::memory_order_acquire
#endif

namespace {

int message;
std::atomic<int> ready;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    ready.store(1);  // with less, notify_one of libstdc++ may miss who waits
    ready.notify_one();
  });
  ready.wait(0, ORDER);
  assert(message == 1);
  first.join();
}
