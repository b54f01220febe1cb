// SPDX-License-Identifier: Apache-2.0
// Stacks and switching between them: x86-64, System V ABI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/scheduling_points.hpp"

/// Saves the callee-saved registers and the stack pointer to *save, and continues where `to` was saved.
extern "C" void linpoint_switch(void** save, void* to);

namespace linpoint::runtime {

/// Reserved once and committed on use; a guard page lies below it.
class Stack {
 public:
  /// Enough for programs that need the usual 8 MiB.
  static constexpr std::size_t kSize = std::size_t{8} << 20;
  static constexpr std::size_t kGuard = std::size_t{64} << 10;

  /// Reserves it if necessary. False if there is no memory.
  [[nodiscard]] bool reserve();
  [[nodiscard]] Range range() const { return {base_ + kGuard, base_ + kGuard + kSize}; }
  [[nodiscard]] Range guard() const { return {base_, base_ + kGuard}; }

  /// Makes a stack pointer for `linpoint_switch` that begins with entry(), which must not return. Clears data of
  /// earlier runs down to the lowest known use, so that unwritten memory is the same in each run.
  [[nodiscard]] void* prepare(void (*entry)());
  void used(std::uintptr_t lowest) {
    if (lowest < lowest_) lowest_ = lowest;
  }

 private:
  std::uintptr_t base_ = 0;
  std::uintptr_t lowest_ = 0;
};

/// A thread of the program, as the host runs it: a stack to switch to. With `--os-threads`, an OS thread instead that
/// waits for its turn, so that the two can be compared.
class Fiber {
 public:
  Stack stack;

  /// Called by the host, which continues when the fiber leaves.
  void begin(void (*entry)());
  void enter();
  /// Called by the fiber. Does not return if the fiber is not entered again.
  void leave();

 private:
  void* pointer_ = nullptr;  ///< of the stack, while it does not run
};

/// The fibers of the last run are not entered again.
void abandon_fibers();

}  // namespace linpoint::runtime
