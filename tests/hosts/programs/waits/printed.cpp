// SPDX-License-Identifier: Apache-2.0
// What two threads print comes in either order.
#include <cstdio>
#include <iostream>
#include <thread>

int main() {
  std::thread one([] { std::cout << 'a'; });
  std::thread two([] { std::fputs("b", stdout); });
  one.join();
  two.join();
}
