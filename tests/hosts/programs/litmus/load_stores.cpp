// SPDX-License-Identifier: Apache-2.0
// Threads that each read a counter and write one more, -DTIMES times; -DTHREADS of them.
#include <atomic>
#include <thread>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef TIMES
#define TIMES 2
#endif

namespace {

std::atomic<int> counter;

void count() {
  for (int time = 0; time < TIMES; ++time) {
    const int seen = counter.load(std::memory_order_relaxed);
    counter.store(seen + 1, std::memory_order_relaxed);
  }
}

}  // namespace

int main() {
  std::thread threads[THREADS];
  for (std::thread& each : threads) each = std::thread(count);
  for (std::thread& each : threads) each.join();
}
