// SPDX-License-Identifier: Apache-2.0
// A map from numbers that is cleared in constant time, since that is done before each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linpoint::runtime {

/// Open addressing; doubles when it is half full. References are valid until the next insertion.
template <typename Value>
class GenerationTable {
 public:
  GenerationTable() : slots_(kFirst) {}

  void clear() {
    ++generation_;
    count_ = 0;
  }

  [[nodiscard]] Value* find(std::uint64_t key) {
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.generation != generation_) return nullptr;
      if (slot.key == key) return &slot.value;
    }
  }

  /// The value of a key; initialised with `value` if it is new.
  [[nodiscard]] Value& at(std::uint64_t key, Value value) {
    if (2 * count_ >= slots_.size()) grow();
    for (std::size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.generation != generation_) {
        slot = {key, generation_, value};
        ++count_;
        return slot.value;
      }
      if (slot.key == key) return slot.value;
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t generation = 0;
    Value value{};
  };
  static constexpr std::size_t kFirst = 1024;

  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & (slots_.size() - 1);
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    count_ = 0;
    for (const Slot& slot : old)
      if (slot.generation == generation_) static_cast<void>(at(slot.key, slot.value));
  }

  std::vector<Slot> slots_;
  std::uint64_t generation_ = 1;
  std::size_t count_ = 0;
};

}  // namespace linpoint::runtime
