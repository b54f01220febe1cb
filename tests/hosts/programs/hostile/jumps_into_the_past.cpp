// SPDX-License-Identifier: Apache-2.0
// Jumps back into a function that has returned.
#include <csetjmp>

namespace {

std::jmp_buf back;

[[gnu::noinline]] bool remember() { return setjmp(back) != 0; }

}  // namespace

int main() {
  volatile bool again = remember();
  if (!again) std::longjmp(back, 1);
}
