// SPDX-License-Identifier: Apache-2.0
// Both only read.
#include <thread>

namespace {

int value = 1;
int seen[2];

}  // namespace

int main() {
  std::thread first([] { seen[0] = value; });
  std::thread second([] { seen[1] = value; });
  first.join();
  second.join();
  return seen[0] - seen[1];
}
