// SPDX-License-Identifier: Apache-2.0
// Blocks that no other thread interrupts, as a transaction would be.
//
// Under `linpoint explore` nothing happens between the steps of such a block. A program that is built without it runs
// the same blocks one after the other, under one mutex.
#pragma once

#include <mutex>
#include <utility>

extern "C" {
__attribute__((weak)) void linpoint_enter_atomic();
__attribute__((weak)) void linpoint_leave_atomic();
}

namespace linpoint {

namespace detail {

inline std::recursive_mutex& atomic_blocks() {
  static std::recursive_mutex mutex;
  return mutex;
}

class AtomicBlock {
 public:
  AtomicBlock() {
    if (linpoint_enter_atomic != nullptr) {
      linpoint_enter_atomic();
    } else {
      atomic_blocks().lock();
    }
  }
  AtomicBlock(const AtomicBlock&) = delete;
  AtomicBlock& operator=(const AtomicBlock&) = delete;
  ~AtomicBlock() {
    if (linpoint_leave_atomic != nullptr) {
      linpoint_leave_atomic();
    } else {
      atomic_blocks().unlock();
    }
  }
};

}  // namespace detail

/// Calls the function and returns what it does. Blocks may be nested; what waits inside of one, as for a lock, lets
/// others go on nevertheless.
template <typename Function>
decltype(auto) atomically(Function&& function) {
  const detail::AtomicBlock block;
  return std::forward<Function>(function)();
}

}  // namespace linpoint
