// SPDX-License-Identifier: Apache-2.0
// A volatile read of one's own variable, then one of what another thread writes.
#include <thread>

int shared;

int value_of(const volatile int& variable) { return variable; }

int main() {
  std::thread other([] { shared = 1; });
  const volatile int own = 2;
  const int sum = value_of(own) + value_of(shared);
  other.join();
  return sum == 7 ? 1 : 0;
}
