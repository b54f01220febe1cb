// SPDX-License-Identifier: Apache-2.0
// Each thread has its own, with a constructor and a destructor.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> destroyed;

struct Own {
  Own() = default;
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
  ~Own() { ++destroyed; }
  int value = 1;
};
thread_local Own own;
thread_local int plain = 5;

void work() {
  ++own.value;
  ++plain;
  assert(own.value == 2);
  assert(plain == 6);
}

}  // namespace

int main() {
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  assert(destroyed == 2);
  assert(plain == 5);
}
