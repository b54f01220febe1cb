// SPDX-License-Identifier: Apache-2.0
// Atomic blocks: no other thread runs between their steps, as in a transaction.
//
// `linpoint explore` runs no other thread between the steps of such a block. A program built without linpoint runs the
// same blocks one after the other, under one mutex.
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

/// Calls the function and returns its result. Blocks may be nested. If the function blocks, for example on a lock,
/// other threads may run nevertheless.
template <typename Function>
decltype(auto) atomically(Function&& function) {
  const detail::AtomicBlock block;
  return std::forward<Function>(function)();
}

}  // namespace linpoint
