// SPDX-License-Identifier: Apache-2.0
// Prints who got the first of two things, each of which is signalled to one.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  int things = 0;
  int order = 0;
  const auto take = [&](int number) {
    std::unique_lock guard(mutex);
    while (things == 0) condition.wait(guard);
    --things;
    order = order * 10 + number;
  };
  std::thread one(take, 1);
  std::thread two(take, 2);
  for (int thing = 0; thing < 2; ++thing) {
    const std::lock_guard guard(mutex);
    ++things;
    condition.notify_one();
  }
  one.join();
  two.join();
  std::printf("%d", order);
}
