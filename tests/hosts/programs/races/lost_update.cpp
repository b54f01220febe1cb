// SPDX-License-Identifier: Apache-2.0
// Two threads count without a lock.
#include <cstdio>
#include <thread>

namespace {

int counter;

}  // namespace

int main() {
  std::thread first([] { ++counter; });
  std::thread second([] { ++counter; });
  first.join();
  second.join();
  std::printf("%d\n", counter);
}
