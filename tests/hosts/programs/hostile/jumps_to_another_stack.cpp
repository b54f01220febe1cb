// SPDX-License-Identifier: Apache-2.0
// Jumps back to where another thread stands.
#include <csetjmp>
#include <thread>

namespace {

std::jmp_buf back;

}  // namespace

int main() {
  if (setjmp(back) != 0) return 0;
  std::thread other([] { std::longjmp(back, 1); });
  other.join();
}
