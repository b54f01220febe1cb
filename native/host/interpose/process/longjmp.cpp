// SPDX-License-Identifier: Apache-2.0
// longjmp, which may return to a function on the stack of its own thread that has not returned. Anything else is
// undefined; here it would silently continue in another thread.
#include <bit>
#include <csetjmp>
#include <cstdint>

#include "host/base/real_functions.hpp"
#include "host/core/library_scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

/// The stack pointer in a jmp_buf, which the C library stores encoded.
std::uintptr_t stack_pointer_of(const __jmp_buf_tag& back) {
  constexpr int kStackPointer = 6;
  constexpr int kRotated = 17;
  std::uintptr_t guard = 0;
  asm("mov %%fs:0x30, %0" : "=r"(guard));
  return std::rotr(static_cast<std::uintptr_t>(back.__jmpbuf[kStackPointer]), kRotated) ^ guard;
}

bool on_stack_of(Thread thread, std::uintptr_t address) {
  const Range stack = stack_of(thread);
  return stack.begin <= address && address < stack.end;
}

void check_jump(const __jmp_buf_tag& back, const void* caller) {
  if (!controlled()) return;
  const std::uintptr_t target = stack_pointer_of(back);
  for (Thread thread = 0; thread < threads(); ++thread)
    if (thread != current_thread() && on_stack_of(thread, target))
      fail(Fault::kCrash, "longjmp() jumps to the stack of another thread", caller);
  if (!on_stack_of(current_thread(), target))
    refuse("the program switches to its own stack with longjmp(), which linpoint does not control");
  if (target < reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))
    fail(Fault::kCrash, "longjmp() jumps to a function that has returned", caller);
}

[[noreturn]] void jump(__jmp_buf_tag* back, int value, const void* caller) {
  check_jump(*back, caller);
  // Also restores the blocked signals if sigsetjmp has saved them, as recorded in the buffer.
  static constinit Real<void(__jmp_buf_tag*, int)> next("siglongjmp");
  next(back, value);
  __builtin_unreachable();
}

}  // namespace

}  // namespace linpoint::runtime

extern "C" {

void longjmp(__jmp_buf_tag* back, int value) { linpoint::runtime::jump(back, value, __builtin_return_address(0)); }
void _longjmp(__jmp_buf_tag* back, int value) {  // NOLINT(bugprone-reserved-identifier)
  linpoint::runtime::jump(back, value, __builtin_return_address(0));
}
void siglongjmp(__jmp_buf_tag* back, int value) { linpoint::runtime::jump(back, value, __builtin_return_address(0)); }
void __longjmp_chk(__jmp_buf_tag* back, int value) {  // NOLINT(bugprone-reserved-identifier)
  linpoint::runtime::jump(back, value, __builtin_return_address(0));
}
}
