// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's WaitLatch of 2011, whose SetLatch returns at once if the latch is already set: on x86 the announcement
// of work may then still be in a store buffer while the waiter resets the latch, finds no work, and sleeps for ever.
//
// -DFENCE_IN_RESET  ResetLatch ends with a fence
// The repairs that a thesis tells:
// -DLOCK            a lock around work_to_do
// -DALWAYS_WRITE    SetLatch writes whatever it finds
// -DFENCE_IN_SET    SetLatch begins with a fence
// -DASSERTION       the waiter asserts that no wake-up was lost, and does not wait
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<int> is_set = 1;
std::atomic<int> work_to_do;
#ifdef ASSERTION
std::atomic<int> latch_has_been_set;
#endif
#ifdef LOCK
std::mutex lock_of_work;
#endif

void announce_work() {
#ifdef LOCK
  const std::lock_guard guard(lock_of_work);
#endif
  work_to_do.store(1, kRelaxed);
}

bool is_there_work() {
#ifdef LOCK
  const std::lock_guard guard(lock_of_work);
#endif
  return work_to_do.load(kRelaxed) == 1;
}

void set_latch() {
#ifdef FENCE_IN_SET
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
#ifndef ALWAYS_WRITE
  if (is_set.load(kRelaxed) == 1) return;
#endif
  is_set.store(1, kRelaxed);
}

void reset_latch() {
  is_set.store(0, kRelaxed);
#ifdef FENCE_IN_RESET
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

#ifndef ASSERTION
void wait_latch() {
  while (is_set.load(kRelaxed) == 0) {
  }
}
#endif

void waiter() {
  for (;;) {
    reset_latch();
    if (is_there_work()) return;
#ifdef ASSERTION
    assert(latch_has_been_set.load(kRelaxed) == 0 || is_set.load(kRelaxed) == 1);
    return;
#else
    wait_latch();
#endif
  }
}

void waker() {
  announce_work();
  set_latch();
#ifdef ASSERTION
  latch_has_been_set.store(1, kRelaxed);
#endif
}

}  // namespace

int main() {
  std::thread waiting(waiter);
  std::thread waking(waker);
  waiting.join();
  waking.join();
}
