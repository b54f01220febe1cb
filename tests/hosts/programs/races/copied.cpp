// SPDX-License-Identifier: Apache-2.0
// One copies a block with memcpy while the other writes into it.
#include <cstring>
#include <thread>

namespace {

char from[64];
char to[64];

}  // namespace

int main() {
  std::thread first([] { std::memcpy(to, from, sizeof from); });
  std::thread second([] { from[40] = 1; });
  first.join();
  second.join();
  return to[0] - from[1];
}
