// SPDX-License-Identifier: Apache-2.0
// What an atomic block has written is seen by all when it ends, and what came before it when it begins.
#include <atomic>
#include <cassert>
#include <thread>

#include "linpoint/atomically.hpp"

namespace {

std::atomic<int> x, y, z;
int first, second, third;

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

int main() {
  std::thread one([] {
    z.store(1, kRelaxed);
    linpoint::atomically([] {
      x.store(1, kRelaxed);
      first = y.load(kRelaxed);
    });
  });
  std::thread two([] {
    linpoint::atomically([] {
      y.store(1, kRelaxed);
      second = x.load(kRelaxed);
      third = z.load(kRelaxed);
    });
  });
  one.join();
  two.join();
  assert(first + second == 1);
  assert(second == 0 || third == 1);
}
