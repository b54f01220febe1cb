// SPDX-License-Identifier: Apache-2.0
// What comes before a barrier comes before what follows it.
#include <barrier>
#include <thread>

namespace {

int numbers[2];
std::barrier barrier(2);

void run(int me) {
  numbers[me] = 1;
#ifndef RACY
  barrier.arrive_and_wait();
#endif
  volatile int copy = numbers[1 - me];
  (void)copy;
}

}  // namespace

int main() {
  std::thread first(run, 0);
  run(1);
  first.join();
}
