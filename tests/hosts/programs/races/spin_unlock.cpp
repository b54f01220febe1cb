// SPDX-License-Identifier: Apache-2.0
// Store buffering through spin locks of POSIX, whose unlocking is no fence.
#include <pthread.h>

#include <atomic>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

pthread_spinlock_t locks[2];
std::atomic<int> values[2];

void work(int me) {
  pthread_spin_lock(&locks[me]);
  values[me].store(1, kRelaxed);
  pthread_spin_unlock(&locks[me]);
  static_cast<void>(values[1 - me].load(kRelaxed));
}

}  // namespace

int main() {
  for (pthread_spinlock_t& lock : locks) pthread_spin_init(&lock, 0);
  std::thread other(work, 1);
  work(0);
  other.join();
}
