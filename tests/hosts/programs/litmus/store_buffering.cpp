// SPDX-License-Identifier: Apache-2.0
// Store buffering, which is about the smallest program that tells memory models apart: what is measured here is what a
// schedule costs.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> x;
std::atomic<int> y;
int seen_by_first;
int seen_by_second;

}  // namespace

int main() {
  std::thread first([] {
    x.store(1, std::memory_order_relaxed);
    seen_by_first = y.load(std::memory_order_relaxed);
  });
  std::thread second([] {
    y.store(1, std::memory_order_relaxed);
    seen_by_second = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
}
