// SPDX-License-Identifier: Apache-2.0
// A lock that its owner takes again, and one that is only tried.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::recursive_mutex recursive;
std::mutex tried;
int counter;

void count(int deeper) {
  const std::lock_guard guard(recursive);
  ++counter;
  if (deeper > 0) count(deeper - 1);
}

}  // namespace

int main() {
  const auto work = [] {
    count(1);
    if (tried.try_lock()) tried.unlock();
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  assert(counter == 4);
}
