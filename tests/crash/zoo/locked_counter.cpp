// SPDX-License-Identifier: Apache-2.0
// A counter with a lock that lies beside it in persistent memory, and so may be found locked after a crash.
//
// zoo: spec=counter kind=BUG_STUCK:stuck-lock BUG_UNLOCK:DL3
// scenario: BUG_STUCK add(1)
// scenario: BUG_UNLOCK add(1) | read()
//
// The flush that makes the counter durable takes the lock with it, as both are in one line. After a crash no one is
// left who would release it: recovery must. It need not flush that, as the next recovery does it again.
// To release the lock before the counter is durable lets others see what may be lost.
#include <immintrin.h>

#include <atomic>
#include <linpoint/crash.hpp>

namespace {

__attribute__((target("clflushopt"))) void flush(void* line) { _mm_clflushopt(line); }

class LockedCounter {
 public:
  static LockedCounter* create(linpoint::Pool& pool) {
    pool.set_root(pool.allocate(sizeof(LockedCounter)));
    return static_cast<LockedCounter*>(pool.root());
  }
  static LockedCounter* recover(linpoint::Pool& pool) {
    auto* counter = static_cast<LockedCounter*>(pool.root());
#ifndef BUG_STUCK
    counter->locked_.store(0, std::memory_order_relaxed);
#endif
    return counter;
  }

  void add(int number) {
    lock();
    value_ += number;  // blame: BUG_UNLOCK DL3
#ifdef BUG_UNLOCK
    unlock();
#endif
    flush(&value_);
    _mm_sfence();
#ifndef BUG_UNLOCK
    unlock();
#endif
  }

  long read() {
    lock();
    const long value = value_;
    unlock();
    return value;
  }

 private:
  void lock() {
    int free = 0;
    while (!locked_.compare_exchange_weak(free, 1)) free = 0;  // blame: BUG_STUCK stuck-lock
  }
  void unlock() { locked_.store(0, std::memory_order_release); }

  std::atomic<int> locked_;
  long value_;
};

}  // namespace

LINPOINT_CRASH_TEST(LockedCounter, add, read)
