// SPDX-License-Identifier: Apache-2.0
// Readers side by side, a writer alone.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int first_half;
int second_half;

void look() {
  const std::shared_lock guard(mutex);
  assert(first_half == second_half);
}

}  // namespace

int main() {
  std::thread one(look);
  std::thread two([] {
    const std::unique_lock guard(mutex);
    ++first_half;
    ++second_half;
  });
  look();
  one.join();
  two.join();
}
