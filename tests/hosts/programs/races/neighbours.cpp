// SPDX-License-Identifier: Apache-2.0
// Two threads write bytes that lie side by side.
#include <thread>

namespace {

char bytes[2];

}  // namespace

int main() {
  std::thread first([] { bytes[0] = 1; });
  std::thread second([] { bytes[1] = 1; });
  first.join();
  second.join();
  return bytes[0] - bytes[1];
}
