// SPDX-License-Identifier: Apache-2.0
// What two threads ask for is done once.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::once_flag flag;
int times;

void ask() {
  std::call_once(flag, [] { ++times; });
  assert(times == 1);
}

}  // namespace

int main() {
  std::thread one(ask);
  std::thread two(ask);
  one.join();
  two.join();
}
