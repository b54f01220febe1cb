// SPDX-License-Identifier: Apache-2.0
// Store buffering with a signal in between: where nobody waits for it that is no fence. -DFIXED has one.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <thread>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::condition_variable changed;
std::atomic<int> x, y;

int tell(std::atomic<int>& mine, const std::atomic<int>& others) {
  mine.store(1, kRelaxed);
  changed.notify_one();
#ifdef FIXED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  return others.load(kRelaxed);
}

}  // namespace

int main() {
  int seen = 0;
  std::thread other([&] { seen = tell(x, y); });
  const int mine = tell(y, x);
  other.join();
  assert(seen + mine > 0);
}
