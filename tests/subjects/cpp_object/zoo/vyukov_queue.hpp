// SPDX-License-Identifier: Apache-2.0
// The bounded queue of D. Vyukov (1024cores.net, 2010) for any number of producers and consumers.
//
// Each cell has a number that says for which position it is ready: to be filled at position p when it is p, to be
// emptied when it is p + 1. Who moves a position by an exchange owns the cell.
//
// As published it is not linearizable, and so a broken twin: (1) a producer that owns a cell and has not yet filled it
// makes the queue look empty, though another's element behind it is already there (and in the same way full, through
// a slow consumer). The correct twin says empty or full only if the other position agrees, and else waits. (2) The
// cell is given on before its value is read, and the next producer can write over it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace zoo {

enum class VyukovFlaw { kNone, kAsPublished, kGivenOnFirst };

template <typename T, std::size_t kCapacity, VyukovFlaw kFlaw = VyukovFlaw::kNone>
class VyukovQueue {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "positions must wrap around with the cells");

 public:
  VyukovQueue() {
    for (std::size_t at = 0; at < kCapacity; ++at) cells_[at].number.store(at, std::memory_order_relaxed);
  }

  bool enqueue(T value) {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position % kCapacity];
      const std::size_t number = cell.number.load(std::memory_order_acquire);
      if (number == position) {
        if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
          cell.value = value;
          cell.number.store(position + 1, std::memory_order_release);
          return true;
        }
      } else {
        const bool behind = static_cast<std::ptrdiff_t>(number - position) < 0;
        if (behind && agrees(head_, position - kCapacity)) return false;
        position = tail_.load(std::memory_order_relaxed);
      }
    }
  }

  std::optional<T> dequeue() {
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position % kCapacity];
      const std::size_t number = cell.number.load(std::memory_order_acquire);
      if (number == position + 1) {
        if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed))
          return emptied(cell, position);
      } else {
        const bool behind = static_cast<std::ptrdiff_t>(number - (position + 1)) < 0;
        if (behind && agrees(tail_, position)) return std::nullopt;
        position = head_.load(std::memory_order_relaxed);
      }
    }
  }

 private:
  struct Cell {
    std::atomic<std::size_t> number{0};
    T value{};
  };

  static bool agrees(const std::atomic<std::size_t>& other, std::size_t position) {
    return kFlaw == VyukovFlaw::kAsPublished || other.load(std::memory_order_acquire) == position;
  }

  static T emptied(Cell& cell, std::size_t position) {
    if constexpr (kFlaw == VyukovFlaw::kGivenOnFirst) {
      cell.number.store(position + kCapacity, std::memory_order_release);
      return cell.value;
    } else {
      const T value = cell.value;
      cell.number.store(position + kCapacity, std::memory_order_release);
      return value;
    }
  }

  std::array<Cell, kCapacity> cells_;
  std::atomic<std::size_t> tail_{0};
  std::atomic<std::size_t> head_{0};
};

}  // namespace zoo
