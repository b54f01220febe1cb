// SPDX-License-Identifier: Apache-2.0
// An update that stores what is there already tells of what was done before it, but only those who come later.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> flag;
int value = 0;

}  // namespace

int main() {
  std::thread first([] {
    value = 1;
    flag.fetch_add(0, std::memory_order_release);
  });
  std::thread second([] {
    static_cast<void>(flag.load(std::memory_order_acquire));
    value = 2;
  });
  first.join();
  second.join();
  return value == 0 ? 1 : 0;
}
