// SPDX-License-Identifier: Apache-2.0
// Throws out of a function that promised not to.
#include <thread>

namespace {

void promised() noexcept { throw 1; }

}  // namespace

int main() {
  std::thread other([] { promised(); });
  other.join();
}
