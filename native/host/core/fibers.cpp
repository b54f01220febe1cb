// SPDX-License-Identifier: Apache-2.0
#include "host/core/fibers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "host/core/os_thread_backend.hpp"

asm(R"(
.text
.globl linpoint_switch
.type linpoint_switch, @function
linpoint_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size linpoint_switch, .-linpoint_switch
)");

namespace linpoint::runtime {

bool Stack::reserve() {
  if (base_ != 0) return true;
  void* memory = mmap(nullptr, kGuard + kSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  mprotect(memory, kGuard, PROT_NONE);
  base_ = reinterpret_cast<std::uintptr_t>(memory);
  lowest_ = range().end;
  return true;
}

void* Stack::prepare(void (*entry)()) {
  const std::uintptr_t top = range().end;
  // Calls go deeper than the known scheduling points.
  constexpr std::uintptr_t kSlack = 4096;
  if (lowest_ < top) {
    const std::uintptr_t from = std::max(range().begin, lowest_ - std::min(lowest_, kSlack));
    std::memset(reinterpret_cast<void*>(from), 0, top - from);
  }
  lowest_ = top;
  // At its first instruction a function expects a stack pointer 8 above a multiple of 16, pointing to a return address.
  constexpr std::size_t kSaved = 6;
  auto* words = reinterpret_cast<std::uint64_t*>(top - 64 - sizeof(std::uint64_t));
  words[0] = 0;  // the return address of entry: stack unwinding ends here
  words[-1] = reinterpret_cast<std::uint64_t>(entry);
  std::fill(words - 1 - kSaved, words - 1, 0);
  return words - 1 - kSaved;
}

namespace {

void* host_pointer = nullptr;  ///< to the host's stack, while a fiber runs

}  // namespace

void Fiber::begin(void (*entry)()) {
  pointer_ = stack.prepare(entry);
  if (options.os_threads) begin_os_thread(*this, entry);
}

void Fiber::enter() {
  if (options.os_threads)
    enter_os_thread(*this);
  else
    linpoint_switch(&host_pointer, pointer_);
}

void Fiber::leave() {
  if (options.os_threads)
    leave_os_thread(*this);
  else
    linpoint_switch(&pointer_, host_pointer);
}

void abandon_fibers() {
  if (options.os_threads) end_os_threads();
}

}  // namespace linpoint::runtime
