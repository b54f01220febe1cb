// SPDX-License-Identifier: Apache-2.0
// Time goes on by sleeping, and chance is the same in every run.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

int main() {
  const auto before = std::chrono::steady_clock::now();
  std::thread other([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto passed = std::chrono::steady_clock::now() - before;
  other.join();
  std::random_device device;
  std::printf("%lld %u %d", static_cast<long long>(std::chrono::duration_cast<std::chrono::seconds>(passed).count()),
              device(), std::rand());
}
