// SPDX-License-Identifier: Apache-2.0
// The last owner destroys, whoever that is.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

namespace {

std::atomic<int> destroyed;

struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { ++destroyed; }
};

}  // namespace

int main() {
  auto mine = std::make_shared<Owned>();
  std::thread other([theirs = mine] {});
  mine.reset();
  other.join();
  assert(destroyed == 1);
}
