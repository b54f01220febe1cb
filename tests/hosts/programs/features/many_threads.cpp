// SPDX-License-Identifier: Apache-2.0
// More threads than have a number each in the memory that workers share; two of them meet.
#include <atomic>
#include <thread>
#include <vector>

int main() {
  std::atomic<int> met{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 36; ++number)
    threads.emplace_back([&met, number] {
      if (number < 2) met.exchange(number);
    });
  for (std::thread& each : threads) each.join();
}
