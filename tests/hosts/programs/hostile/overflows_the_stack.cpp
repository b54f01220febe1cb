// SPDX-License-Identifier: Apache-2.0
// Calls itself until the stack is used up.
#include <cstdio>
#include <thread>

namespace {

int deeper(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : deeper(depth + 1) + room[0];
}

}  // namespace

int main() {
  std::thread other([] { std::printf("%d", deeper(1)); });
  other.join();
}
