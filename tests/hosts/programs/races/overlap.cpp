// SPDX-License-Identifier: Apache-2.0
// One writes four bytes, the other the last of them.
#include <cstring>
#include <thread>

namespace {

alignas(4) char bytes[4];

}  // namespace

int main() {
  std::thread first([] {
    const int all = 0x01010101;
    std::memcpy(bytes, &all, sizeof all);
  });
  std::thread second([] { bytes[3] = 1; });
  first.join();
  second.join();
  return bytes[3] - 1;
}
