// SPDX-License-Identifier: Apache-2.0
// Two threads that count without a lock, inside of atomic blocks.
#include <cassert>
#include <thread>

#include "linpoint/atomically.hpp"

namespace {

int counter;

void count() {
  linpoint::atomically([] { ++counter; });
}

}  // namespace

int main() {
  std::thread one(count);
  std::thread two(count);
  one.join();
  two.join();
  assert(counter == 2);
}
