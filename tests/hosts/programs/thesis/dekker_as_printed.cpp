// SPDX-License-Identifier: Apache-2.0
// Dekker's mutual exclusion as a thesis prints it with its fences: thread 1 waits for turn 0 in its inner loop, where
// it ought to wait for turn 1, and nothing fences the raising of a flag for a second time.
//
// Each thread enters twice: the first entry of one lets the other raise its flag again, the second meets that flag
// while it is still in a store buffer. The wrong test also leaves threads waiting for ever. -DSTOP_INSTEAD_OF_WAITING
// lets a thread stop for good where it would wait in its inner loop, which is as if it were not scheduled any more:
// then nothing but mutual exclusion is at stake.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<int> flag[2];
std::atomic<int> turn;
std::atomic<int> inside;

void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

void critical_section() {
  assert(inside.load(kRelaxed) == 0);
  inside.store(1, kRelaxed);
  inside.store(0, kRelaxed);
}

/// False if it has stopped.
bool enter(int me) {
  const int other = 1 - me;
  flag[me].store(1, kRelaxed);
  fence();
  while (flag[other].load(kRelaxed) == 1) {
    if (turn.load(kRelaxed) != me) {
      flag[me].store(0, kRelaxed);
      while (turn.load(kRelaxed) != 0) {
#ifdef STOP_INSTEAD_OF_WAITING
        return false;
#endif
      }
      flag[me].store(1, kRelaxed);
    }
  }
  critical_section();
  turn.store(other, kRelaxed);
  fence();
  flag[me].store(0, kRelaxed);
  return true;
}

void enter_twice(int me) {
  if (enter(me)) enter(me);
}

}  // namespace

int main() {
  std::thread first(enter_twice, 0);
  std::thread second(enter_twice, 1);
  first.join();
  second.join();
}
