// SPDX-License-Identifier: Apache-2.0
// The ticket lock (after L. Lamport's bakery; Reed and Kanodia, CACM 1979; Mellor-Crummey and Scott, TOCS 1991): draw a
// number and wait until it is served.
//
// The broken twin draws by a load and a store: two can draw the same number, and are served together.
#pragma once

#include <atomic>
#include <mutex>

namespace zoo {

enum class TicketFlaw { kNone, kNotDrawnAtOnce };

template <TicketFlaw kFlaw = TicketFlaw::kNone>
class TicketLock {
 public:
  using Guard = std::scoped_lock<TicketLock>;

  void lock() {
    const unsigned ticket = draw();
    while (served_.load(std::memory_order_acquire) != ticket) {
    }
  }

  void unlock() { served_.store(served_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  unsigned draw() {
    if constexpr (kFlaw == TicketFlaw::kNotDrawnAtOnce) {
      const unsigned ticket = next_.load(std::memory_order_relaxed);
      next_.store(ticket + 1, std::memory_order_relaxed);
      return ticket;
    } else {
      return next_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  std::atomic<unsigned> next_{0};
  std::atomic<unsigned> served_{0};
};

}  // namespace zoo
