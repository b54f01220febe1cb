// SPDX-License-Identifier: Apache-2.0
// Peterson's mutual exclusion for two threads, each of which enters once.
//
// -DFENCED puts a fence between raising the flag and looking at the other's. Without it, it is right under sequential
// consistency only.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<int> flag[2];
std::atomic<int> turn;
std::atomic<int> inside;

void fence() {
#ifdef FENCED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void critical_section() {
  assert(inside.load(kRelaxed) == 0);
  inside.store(1, kRelaxed);
  inside.store(0, kRelaxed);
}

void enter(int me) {
  const int other = 1 - me;
  flag[me].store(1, kRelaxed);
  turn.store(other, kRelaxed);
  fence();
  while (flag[other].load(kRelaxed) == 1 && turn.load(kRelaxed) == other) {
  }
  critical_section();
  flag[me].store(0, kRelaxed);
}

}  // namespace

int main() {
  std::thread first(enter, 0);
  std::thread second(enter, 1);
  first.join();
  second.join();
}
