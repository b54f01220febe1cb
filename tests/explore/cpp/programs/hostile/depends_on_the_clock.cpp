// SPDX-License-Identifier: Apache-2.0
// Does one thing or another, by a clock that no host can set.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> shared;

}  // namespace

int main() {
  const auto work = [] {
    shared.store(1);
    if (__builtin_ia32_rdtsc() % 2 == 0) shared.store(2);
    shared.store(3);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
