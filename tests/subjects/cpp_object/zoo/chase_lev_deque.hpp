// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque of Chase and Lev (SPAA 2005) over an array that does not grow, with the memory orders of Le,
// Pop, Cohen and Zappa Nardelli (Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013).
//
// Its owner pushes and takes at the bottom without an exchange, except for the last element; others steal at the top.
//
// Broken twins, under TSO alone: (1) there is no fence in take(). The owner's new bottom may then still wait in its
// store buffer when it reads the top, and a thief steals the element that the owner takes as well. (2) As published,
// push() ends with a release store: it may come back before a thief can see the element, who says that there is none.
// No element is lost by that, and only a clock can tell; the correct twin pays for a store that is waited for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace zoo {

enum class ChaseLevFlaw { kNone, kNoFence, kPushedLater };

template <typename T, std::size_t kCapacity, ChaseLevFlaw kFlaw = ChaseLevFlaw::kNone>
class ChaseLevDeque {
 public:
  /// By the owner. No more than kCapacity elements.
  void push(T value) {
    const std::ptrdiff_t bottom = bottom_.load(std::memory_order_relaxed);
    slot(bottom).store(value, std::memory_order_relaxed);
    bottom_.store(bottom + 1,
                  kFlaw == ChaseLevFlaw::kPushedLater ? std::memory_order_release : std::memory_order_seq_cst);
  }

  /// By the owner.
  std::optional<T> take() {
    const std::ptrdiff_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    if constexpr (kFlaw != ChaseLevFlaw::kNoFence) std::atomic_thread_fence(std::memory_order_seq_cst);
    std::ptrdiff_t top = top_.load(std::memory_order_relaxed);
    if (top < bottom) return slot(bottom).load(std::memory_order_relaxed);
    std::optional<T> value;
    if (top == bottom) {  // the last one, which thieves want as well
      value = slot(bottom).load(std::memory_order_relaxed);
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        value.reset();
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return value;
  }

  std::optional<T> steal() {
    for (;;) {
      std::ptrdiff_t top = top_.load(std::memory_order_acquire);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (top >= bottom_.load(std::memory_order_acquire)) return std::nullopt;
      const T value = slot(top).load(std::memory_order_relaxed);
      if (top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        return value;
    }
  }

 private:
  std::atomic<T>& slot(std::ptrdiff_t at) { return slots_[static_cast<std::size_t>(at) % kCapacity]; }

  std::atomic<std::ptrdiff_t> top_{0};
  std::atomic<std::ptrdiff_t> bottom_{0};
  std::array<std::atomic<T>, kCapacity> slots_{};
};

}  // namespace zoo
