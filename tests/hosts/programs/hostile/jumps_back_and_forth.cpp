// SPDX-License-Identifier: Apache-2.0
// Leaves functions by longjmp, in two threads.
#include <csetjmp>
#include <thread>

namespace {

[[noreturn]] void leave(std::jmp_buf& back) { std::longjmp(back, 1); }

void jump() {
  std::jmp_buf back;
  if (setjmp(back) == 0) leave(back);
}

}  // namespace

int main() {
  std::thread other(jump);
  jump();
  other.join();
}
