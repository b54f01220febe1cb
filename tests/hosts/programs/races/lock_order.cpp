// SPDX-License-Identifier: Apache-2.0
// Two locks in two orders.
#include <mutex>
#include <thread>

namespace {

std::mutex one;
std::mutex two;

}  // namespace

int main() {
  std::thread first([] {
    const std::lock_guard outer(one);
    const std::lock_guard inner(two);
  });
  std::thread second([] {
    const std::lock_guard outer(two);
    const std::lock_guard inner(one);
  });
  first.join();
  second.join();
}
