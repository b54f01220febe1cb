// SPDX-License-Identifier: Apache-2.0
// A ring buffer for one thread that pushes and one thread that pops.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

template <typename Value, std::size_t Capacity>
class Ring {
 public:
  bool push(Value value) {
    const std::size_t at = pushed_.load(std::memory_order_relaxed);
    if (at - popped_.load(std::memory_order_acquire) == Capacity) return false;
    values_[at % Capacity] = value;
    pushed_.store(at + 1, std::memory_order_release);
    return true;
  }

  std::optional<Value> pop() {
    const std::size_t at = popped_.load(std::memory_order_relaxed);
    if (at == pushed_.load(std::memory_order_acquire)) return std::nullopt;
    const Value value = values_[at % Capacity];
    popped_.store(at + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<Value, Capacity> values_{};
  std::atomic<std::size_t> pushed_{0};
  std::atomic<std::size_t> popped_{0};
};
