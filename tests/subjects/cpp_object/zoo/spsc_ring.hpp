// SPDX-License-Identifier: Apache-2.0
// Lamport's ring for one producer and one consumer (Specifying Concurrent Program Modules, TOPLAS 1983).
//
// Each side writes one of two counts and reads the other's; what is between them is in the ring.
//
// Broken twins: (1) the producer counts an element before it is there. (2) The counts are written relaxed, which orders
// nothing: no x86 processor shows it, but the two race for the slot, and compilers and other processors may. (3) As
// usually written, by release stores: under TSO an operation may come back before the other side can see it, which
// then finds the ring empty or full. No element is lost by that, and only a clock can tell.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace zoo {

enum class SpscFlaw { kNone, kCountedFirst, kRelaxed, kReleased };

/// How the counts are written.
constexpr std::memory_order order_of(SpscFlaw flaw) {
  if (flaw == SpscFlaw::kRelaxed) return std::memory_order_relaxed;
  if (flaw == SpscFlaw::kReleased) return std::memory_order_release;
  return std::memory_order_seq_cst;
}

template <typename T, std::size_t kCapacity, SpscFlaw kFlaw = SpscFlaw::kNone>
class SpscRing {
 public:
  bool enqueue(T value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kCapacity) return false;
    if constexpr (kFlaw == SpscFlaw::kCountedFirst) tail_.store(tail + 1, kOrder);
    slots_[tail % kCapacity] = value;
    if constexpr (kFlaw != SpscFlaw::kCountedFirst) tail_.store(tail + 1, kOrder);
    return true;
  }

  std::optional<T> dequeue() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    const T value = slots_[head % kCapacity];
    head_.store(head + 1, kOrder);
    return value;
  }

 private:
  static constexpr std::memory_order kOrder = order_of(kFlaw);

  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
  std::array<T, kCapacity> slots_{};
};

}  // namespace zoo
