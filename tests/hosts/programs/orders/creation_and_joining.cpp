// SPDX-License-Identifier: Apache-2.0
// A thread comes after what was done before it was created, and before what follows its joining.
#include <thread>

int main() {
  int before = 1;
  int after = 0;
  std::thread first([&] { after = before; });
#ifdef RACY
  before = 2;
#endif
  first.join();
  return after - before;
}
