// SPDX-License-Identifier: Apache-2.0
// An atomic object of a size that no instruction has is never seen in halves.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct Three {
  int first, second, third;
};

std::atomic<Three> shared{Three{0, 0, 0}};

}  // namespace

int main() {
  std::thread other([] {
    shared.store({1, 1, 1});
    Three expected{1, 1, 1};
    assert(shared.compare_exchange_strong(expected, {2, 2, 2}));
  });
  const Three seen = shared.load();
  assert(seen.first == seen.second && seen.second == seen.third);
  other.join();
  assert(shared.exchange({3, 3, 3}).first == 2);
}
