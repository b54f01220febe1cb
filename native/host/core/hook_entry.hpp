// SPDX-License-Identifier: Apache-2.0
// The entry into hooks: a few instructions record the callee-saved registers and the position of the stack. These and
// the live stack show whether a loop has repeated (see Spinning), and who the caller is.
#pragma once

#include <cstdint>
#include <iterator>

#include "host/core/scheduler.hpp"
#include "host/core/spin_loop_detection.hpp"

extern "C" {
/// The state of the program when it called a hook.
struct LinpointEntry {
  std::uint64_t kept[6];       ///< rbx, rbp, r12 to r15
  const std::uint64_t* stack;  ///< the return address
};
extern LinpointEntry linpoint_entry;
}

namespace linpoint::runtime {

/// The address in the program that called the hook.
[[nodiscard]] inline const void* caller() { return reinterpret_cast<const void*>(*linpoint_entry.stack); }

[[nodiscard]] inline std::uint64_t standing(const Task& task) {
  const auto* end = reinterpret_cast<const std::uint64_t*>(task.fiber.stack.range().end);
  return hash_words(linpoint_entry.stack, end,
                    hash_words(std::begin(linpoint_entry.kept), std::end(linpoint_entry.kept), task.locks));
}

}  // namespace linpoint::runtime

// Like LINPOINT_HOOK, for hooks with a separate function in the crash engine, whose name begins with "linpoint_crash".
// Hooks that only read do not even call it unless reads are watched.
#define LINPOINT_CRASH_READ(name)                                                                               \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n.p2align 4\n" #name                                 \
      ":\n"                                                                                                     \
      "  cmpb $0, linpoint_crashing(%rip)\n  je 1f\n  decq linpoint_countdown(%rip)\n  js linpoint_crash" #name \
      "\n  ret\n"                                                                                               \
      "1:\n  mov %rbx, linpoint_entry(%rip)\n  mov %rbp, linpoint_entry+8(%rip)\n"                              \
      "  mov %r12, linpoint_entry+16(%rip)\n"                                                                   \
      "  mov %r13, linpoint_entry+24(%rip)\n  mov %r14, linpoint_entry+32(%rip)\n"                              \
      "  mov %r15, linpoint_entry+40(%rip)\n  mov %rsp, linpoint_entry+48(%rip)\n  jmp linpoint" #name          \
      "\n.size " #name ", .-" #name "\n");
#define LINPOINT_CRASH_HOOK(name)                                                                                   \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name                                                 \
      ":\n"                                                                                                         \
      "  cmpb $0, linpoint_crashing(%rip)\n  jne linpoint_crash" #name                                              \
      "\n"                                                                                                          \
      "  mov %rbx, linpoint_entry(%rip)\n  mov %rbp, linpoint_entry+8(%rip)\n  mov %r12, linpoint_entry+16(%rip)\n" \
      "  mov %r13, linpoint_entry+24(%rip)\n  mov %r14, linpoint_entry+32(%rip)\n"                                  \
      "  mov %r15, linpoint_entry+40(%rip)\n  mov %rsp, linpoint_entry+48(%rip)\n  jmp linpoint" #name              \
      "\n.size " #name ", .-" #name "\n");

// A hook has the compilers' name, and continues in a function whose name has the prefix "linpoint".
#define LINPOINT_HOOK(name)                                                                                         \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name                                                 \
      ":\n"                                                                                                         \
      "  mov %rbx, linpoint_entry(%rip)\n  mov %rbp, linpoint_entry+8(%rip)\n  mov %r12, linpoint_entry+16(%rip)\n" \
      "  mov %r13, linpoint_entry+24(%rip)\n  mov %r14, linpoint_entry+32(%rip)\n"                                  \
      "  mov %r15, linpoint_entry+40(%rip)\n  mov %rsp, linpoint_entry+48(%rip)\n  jmp linpoint" #name              \
      "\n.size " #name ", .-" #name "\n");
