// SPDX-License-Identifier: Apache-2.0
// The configurations a search has entered. Keys are compared whole: a hash collision never prunes a branch.
// Memory is asked of the stop token before it is taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "linpoint/search/stop_token.hpp"
#include "search/hashing.hpp"

namespace linpoint::search {

class SeenTable {
 public:
  enum class Insertion { kNew, kSeen, kNoMemory };

  explicit SeenTable(StopToken& stop) : stop_(stop) {}
  SeenTable(const SeenTable&) = delete;
  SeenTable& operator=(const SeenTable&) = delete;
  ~SeenTable() { stop_.release(reserved_); }

  Insertion insert(const std::vector<std::uint64_t>& key) {
    if (used_ * 3 >= slots_.size() * 2 && !grow()) return Insertion::kNoMemory;
    const std::uint64_t hash = hash_of(key);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at].entry != nullptr; at = (at + 1) & mask)
      if (slots_[at].hash == hash && equal(slots_[at].entry, key)) return Insertion::kSeen;
    const std::uint64_t* entry = store(key);
    if (entry == nullptr) return Insertion::kNoMemory;
    slots_[at] = {hash, entry};
    ++used_;
    return Insertion::kNew;
  }

  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    const std::uint64_t* entry = nullptr;  // length, then that many words
  };
  static constexpr std::size_t kFirstSlots = 256;
  static constexpr std::size_t kSmallBlock = 512;
  static constexpr std::size_t kBlock = std::size_t{1} << 16U;

  static std::uint64_t hash_of(const std::vector<std::uint64_t>& key) {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key) hash = mix(hash ^ word) + 0x9e3779b97f4a7c15ULL;
    return hash;
  }

  static bool equal(const std::uint64_t* entry, const std::vector<std::uint64_t>& key) {
    return *entry == key.size() && std::equal(key.begin(), key.end(), entry + 1);
  }

  bool reserve(std::size_t bytes) {
    if (!stop_.reserve(bytes)) return false;
    reserved_ += bytes;
    return true;
  }

  bool grow() {
    const std::size_t size = slots_.empty() ? kFirstSlots : slots_.size() * 2;
    if (!reserve(size * sizeof(Slot))) return false;
    std::vector<Slot> slots(size);
    slots.swap(slots_);
    for (const Slot& slot : slots) {
      if (slot.entry == nullptr) continue;
      std::size_t at = slot.hash & (size - 1);
      while (slots_[at].entry != nullptr) at = (at + 1) & (size - 1);
      slots_[at] = slot;
    }
    stop_.release(slots.size() * sizeof(Slot));
    reserved_ -= slots.size() * sizeof(Slot);
    return true;
  }

  const std::uint64_t* store(const std::vector<std::uint64_t>& key) {
    const std::size_t words = key.size() + 1;
    if (words > left_) {
      const std::size_t size = std::max(words, blocks_.empty() ? kSmallBlock : kBlock);
      if (!reserve(size * sizeof(std::uint64_t))) return nullptr;
      blocks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(size));
      next_ = blocks_.back().get();
      left_ = size;
    }
    std::uint64_t* entry = next_;
    *entry = key.size();
    std::copy(key.begin(), key.end(), entry + 1);
    next_ += words;
    left_ -= words;
    return entry;
  }

  StopToken& stop_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::uint64_t* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;
};

}  // namespace linpoint::search
