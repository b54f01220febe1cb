// SPDX-License-Identifier: Apache-2.0
// A static variable of a function is made once, and anew in each run.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> made;

struct Single {
  Single() { ++made; }
  int value = 1;
};

int ask() {
  static const Single single;
  return single.value;
}

}  // namespace

int main() {
  std::thread one(ask);
  std::thread two(ask);
  one.join();
  two.join();
  assert(made == 1);
}
