// SPDX-License-Identifier: Apache-2.0
// A message behind a pointer, which is read with consume: compilers make it acquire.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RACY
#define ORDER std::memory_order_relaxed
#else
#define ORDER std::memory_order_consume
#endif

namespace {

int message;
std::atomic<int*> ready;

}  // namespace

int main() {
  std::thread first([] {
    message = 1;
    ready.store(&message, std::memory_order_release);
  });
  std::thread second([] {
    const int* found = ready.load(ORDER);
    if (found != nullptr) assert(*found == 1);
  });
  first.join();
  second.join();
}
