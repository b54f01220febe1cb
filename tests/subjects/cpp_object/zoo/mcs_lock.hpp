// SPDX-License-Identifier: Apache-2.0
// The lock of Mellor-Crummey and Scott (TOCS 1991): a queue of those who wait, each at a flag of its own.
//
// Broken twins: (1) who unlocks and sees no successor does not wait for one that is in the queue but has not yet said
// so: that one waits for ever. (2) Who waits says where it is before it has raised its flag, and may raise it when its
// turn has already come.
#pragma once

#include <atomic>

namespace zoo {

enum class McsFlaw { kNone, kSuccessorLeft, kRaisedLate };

template <McsFlaw kFlaw = McsFlaw::kNone>
class McsLock {
 public:
  /// Holds the lock, and is its place in the queue.
  class Guard {
   public:
    explicit Guard(McsLock& lock) : lock_(lock) {
      Guard* const before = lock_.tail_.exchange(this, std::memory_order_acq_rel);
      if (before == nullptr) return;
      if constexpr (kFlaw == McsFlaw::kRaisedLate) before->next_.store(this, std::memory_order_release);
      waits_.store(true, std::memory_order_relaxed);
      if constexpr (kFlaw != McsFlaw::kRaisedLate) before->next_.store(this, std::memory_order_release);
      while (waits_.load(std::memory_order_acquire)) {
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      Guard* next = next_.load(std::memory_order_acquire);
      if (next == nullptr) {
        Guard* last = this;
        if (lock_.tail_.compare_exchange_strong(last, nullptr, std::memory_order_release, std::memory_order_relaxed))
          return;
        if constexpr (kFlaw == McsFlaw::kSuccessorLeft) return;
        while (next == nullptr) next = next_.load(std::memory_order_acquire);
      }
      next->waits_.store(false, std::memory_order_release);
    }

   private:
    McsLock& lock_;
    std::atomic<Guard*> next_{nullptr};
    std::atomic<bool> waits_{false};
  };

 private:
  std::atomic<Guard*> tail_{nullptr};
};

}  // namespace zoo
