// SPDX-License-Identifier: Apache-2.0
// A semaphore of one permit is a lock. In the C++ library of g++ 12 a thread can sleep for ever beside a permit that is
// there (GCC bug 104928).
#include <cassert>
#include <semaphore>
#include <thread>

namespace {

std::binary_semaphore permit(1);
int counter;

void count() {
  permit.acquire();
  ++counter;
  permit.release();
}

}  // namespace

int main() {
  std::thread one(count);
  std::thread two(count);
  one.join();
  two.join();
  assert(counter == 2);
}
