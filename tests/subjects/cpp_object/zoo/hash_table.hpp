// SPDX-License-Identifier: Apache-2.0
// The hash table of the thesis on Codex (Dabdoub, MIT 2013, section 4.2.1): an array of integers without collisions, in
// which zero is no value.
//
// The broken twin is as printed: what it puts may wait in the store buffer of its thread when put() has come back, so
// that the same thread can miss another's value that was put later. Under sequential consistency there is no store
// buffer and both are right. One fence makes the other twin.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

namespace zoo {

enum class HashTableFlaw { kNone, kNoFence };

template <std::size_t kSize, HashTableFlaw kFlaw = HashTableFlaw::kNone>
class HashTable {
 public:
  void put(std::size_t key, int value) {
    data_[key].store(value, std::memory_order_relaxed);
    if constexpr (kFlaw != HashTableFlaw::kNoFence) std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  std::optional<int> get(std::size_t key) const {
    const int value = data_[key].load(std::memory_order_relaxed);
    return value == 0 ? std::nullopt : std::optional(value);
  }

 private:
  std::array<std::atomic<int>, kSize> data_{};
};

}  // namespace zoo
