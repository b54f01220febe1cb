// SPDX-License-Identifier: Apache-2.0
// The configurations that searches have refuted, or have entered. Keys are compared completely: a hash collision never
// prunes a branch. A configuration also counts as refuted if one was that only used fewer of the optional operations:
// whatever can follow the former could follow the latter. Memory is requested from the stop token before it is
// allocated; if refused, the insertion fails. Thread-safe: the table is divided into shards with a lock each.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "hashing.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::search {

/// A lock for sections of a few memory accesses, too short to put a thread to sleep.
class SpinLock {
 public:
  void lock() {
    constexpr int kSpins = 100;
    for (int spins = 0; held_.test_and_set(std::memory_order_acquire); ++spins)
      if (spins >= kSpins) std::this_thread::yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

class SeenTable {
 public:
  enum class Insertion { kNew, kKnown, kNoMemory };
  using Words = std::vector<std::uint64_t>;

  /// `lasting` is the number of words for the optional operations that took effect. A table of one search has one
  /// shard, since preparing more would take most of the time of a short search.
  SeenTable(std::size_t lasting, StopToken& stop, bool shared)
      : mask_(shared ? (std::size_t{1} << kShardBits) - 1 : 0), shards_(std::make_unique<Shard[]>(mask_ + 1)) {
    for (std::size_t i = 0; i <= mask_; ++i) shards_[i].prepare(lasting, stop);
  }

  /// Whether a configuration with at least this first word may be known. The word begins with the progress of a search,
  /// so a search beyond all others needs no lookup.
  [[nodiscard]] bool may_know(std::uint64_t first_word) const {
    return first_word <= largest_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool contains(const Words& key, const Words& lasting) {
    const std::uint64_t hash = hash_of(key);
    return shard_of(hash).contains(hash, key, lasting);
  }

  Insertion insert(const Words& key, const Words& lasting) {
    const std::uint64_t hash = hash_of(key);
    std::uint64_t largest = largest_.load(std::memory_order_relaxed);
    while (key.front() > largest && !largest_.compare_exchange_weak(largest, key.front(), std::memory_order_relaxed)) {
    }
    return shard_of(hash).insert(hash, key, lasting);
  }

  /// Removes all configurations.
  void clear() {
    for (std::size_t i = 0; i <= mask_; ++i) shards_[i].clear();
    largest_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kShardBits = 6;
  static constexpr std::size_t kFirstSlots = 16;
  static constexpr std::size_t kSmallBlock = std::size_t{1} << 6U;  // words
  static constexpr std::size_t kBlock = std::size_t{1} << 14U;

  /// Followed by `length` words of key and the words of lasting operations.
  struct Entry {
    Entry* next;  // the same key with other lasting operations
    std::uint64_t length;
    [[nodiscard]] std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  };
  static_assert(sizeof(Entry) % sizeof(std::uint64_t) == 0);

  static std::uint64_t hash_of(const Words& key) {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key) hash = mix(hash ^ word) + 0x9e3779b97f4a7c15ULL;
    return hash;
  }

  class Shard {
   public:
    Shard() = default;
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;
    ~Shard() {
      if (stop_ != nullptr) stop_->release(reserved_);
    }

    void prepare(std::size_t lasting, StopToken& stop) {
      lasting_ = lasting;
      stop_ = &stop;
    }

    bool contains(std::uint64_t hash, const Words& key, const Words& lasting) {
      const std::scoped_lock held(lock_);
      if (slots_.empty()) return false;
      for (Entry* entry = slots_[slot_of(hash, key)].entry; entry != nullptr; entry = entry->next)
        if (within(entry->words() + entry->length, lasting.data())) return true;
      return false;
    }

    Insertion insert(std::uint64_t hash, const Words& key, const Words& lasting) {
      const std::scoped_lock held(lock_);
      if (used_ * 3 >= slots_.size() * 2 && !grow()) return Insertion::kNoMemory;
      const std::size_t at = slot_of(hash, key);
      for (Entry* entry = slots_[at].entry; entry != nullptr; entry = entry->next) {
        std::uint64_t* used = entry->words() + entry->length;
        if (within(used, lasting.data())) return Insertion::kKnown;
        if (within(lasting.data(), used)) {  // the new one also covers the old one
          std::copy(lasting.begin(), lasting.end(), used);
          return Insertion::kNew;
        }
      }
      Entry* entry = store(key, lasting);
      if (entry == nullptr) return Insertion::kNoMemory;
      entry->next = slots_[at].entry;
      used_ += entry->next == nullptr ? 1 : 0;
      slots_[at] = {hash, entry};
      return Insertion::kNew;
    }

    void clear() {
      const std::scoped_lock held(lock_);
      std::fill(slots_.begin(), slots_.end(), Slot{});
      used_ = 0;
      if (blocks_.size() > 1) {
        const std::size_t freed = (taken_ - first_) * sizeof(std::uint64_t);
        blocks_.resize(1);
        stop_->release(freed);
        reserved_ -= freed;
        taken_ = first_;
      }
      if (!blocks_.empty()) {
        next_ = blocks_.front().get();
        left_ = first_;
      }
    }

   private:
    struct Slot {
      std::uint64_t hash = 0;
      Entry* entry = nullptr;
    };

    /// The slot of the entries with this key, or the free slot for it.
    [[nodiscard]] std::size_t slot_of(std::uint64_t hash, const Words& key) const {
      const std::size_t mask = slots_.size() - 1;
      std::size_t at = hash & mask;
      while (slots_[at].entry != nullptr && (slots_[at].hash != hash || !equal(slots_[at].entry, key)))
        at = (at + 1) & mask;
      return at;
    }

    static bool equal(Entry* entry, const Words& key) {
      return entry->length == key.size() && std::equal(key.begin(), key.end(), entry->words());
    }

    [[nodiscard]] bool within(const std::uint64_t* few, const std::uint64_t* many) const {
      for (std::size_t i = 0; i < lasting_; ++i)
        if ((few[i] & ~many[i]) != 0) return false;
      return true;
    }

    bool reserve(std::size_t bytes) {
      if (!stop_->take(bytes)) return false;
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
      stop_->release(slots.size() * sizeof(Slot));
      reserved_ -= slots.size() * sizeof(Slot);
      return true;
    }

    Entry* store(const Words& key, const Words& lasting) {
      const std::size_t words = sizeof(Entry) / sizeof(std::uint64_t) + key.size() + lasting_;
      if (words > left_) {
        const std::size_t size = std::max(words, blocks_.empty() ? kSmallBlock : std::min(2 * taken_, kBlock));
        if (!reserve(size * sizeof(std::uint64_t))) return nullptr;
        if (blocks_.empty()) first_ = size;
        taken_ += size;
        blocks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(size));
        next_ = blocks_.back().get();
        left_ = size;
      }
      auto* entry = new (next_) Entry{nullptr, key.size()};
      std::copy(key.begin(), key.end(), entry->words());
      std::copy(lasting.begin(), lasting.end(), entry->words() + key.size());
      next_ += words;
      left_ -= words;
      return entry;
    }

    SpinLock lock_;
    StopToken* stop_ = nullptr;
    std::size_t lasting_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
    std::uint64_t* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t first_ = 0;  // words in the first block
    std::size_t taken_ = 0;  // words in all blocks
    std::size_t used_ = 0;
    std::size_t reserved_ = 0;
  };

  Shard& shard_of(std::uint64_t hash) { return shards_[(hash >> (64U - kShardBits)) & mask_]; }

  std::atomic<std::uint64_t> largest_{0};
  std::size_t mask_;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace linpoint::search
