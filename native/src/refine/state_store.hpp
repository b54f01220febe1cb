// SPDX-License-Identifier: Apache-2.0
// All states found, each once: packed rows in order of discovery, and a hash table over them.
//
// Rows belong to the thread that found them and are never moved; a row's number consists of its thread and its index
// there. The table is open addressing over one 64-bit word per row: 24 bits of the hash and the number, so that rows
// are compared only if both agree. Threads insert without locks while the table is not tight; a thread must check that
// every `kLook` rows. The table grows while no thread inserts, and all threads may help. Memory: one row, and 8 bytes
// at a load between 0.375 and 0.75. All memory is accounted; a refusal stops the search.
//
// With `compact` the table has 64 bits of the hash alone, and rows are freed once they were expanded: 8 bytes at the
// same load, but two states with the same hash count as one. Among n states, two share a hash with odds of n * n /
// 2^65.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "linpoint/search/stop_token.hpp"
#include "refine/packed_state.hpp"

namespace linpoint::refine {

class StateStore {
 public:
  using Number = std::uint64_t;
  static constexpr unsigned kThreadShift = 36;
  static constexpr Number kNowhere = ~Number{0};
  /// Maximum number of rows that a thread inserts before it checks again whether the table is tight.
  static constexpr std::uint64_t kLook = 1024;

  StateStore(std::uint32_t row_bytes, unsigned threads, bool compact, search::StopToken& stop);
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;
  ~StateStore();

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(table_ + (hash & mask_)); }
  /// Prefetches the row that one with this hash will be compared with, if there is one.
  void prefetch_row(std::uint64_t hash) const {
    if (compact_) return;
    for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_RELAXED);
      if (word == 0) return;
      if (word >> 40U != hash >> 40U) continue;
      const std::uint8_t* const first = row((word & kNumberMask) - 1);
      __builtin_prefetch(first);
      __builtin_prefetch(first + row_bytes_ - 1);  // it may span two cache lines
      return;
    }
  }
  /// Inserts a row for `thread` if it is new; whether it was. Also false if memory was refused.
  bool insert(unsigned thread, const std::uint8_t* packed, std::uint64_t hash);
  [[nodiscard]] Number find(const std::uint8_t* packed, std::uint64_t hash) const;

  [[nodiscard]] const std::uint8_t* row(Number number) const {
    const std::uint64_t place = number & kPlaceMask;
    return arenas_[number >> kThreadShift].chunks[place >> kChunkShift] + (place & kChunkMask) * row_bytes_;
  }
  [[nodiscard]] std::uint64_t count(unsigned thread) const {
    return arenas_[thread].count.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(arenas_.size()); }

  /// Whether it must grow before further insertions.
  [[nodiscard]] bool is_tight() const { return size() >= limit_; }
  // Growing, while no thread inserts: one thread begins and ends it, any number of threads move rows in between.
  void begin_growing();
  void move_some();
  /// False if there was no memory, or the search was stopped.
  bool end_growing();
  bool grow();
  /// Frees the rows of each thread before these indices, which are no longer needed; only if the store is compact.
  void forget_before(const std::vector<std::uint64_t>& places);
  [[nodiscard]] std::size_t memory() const { return memory_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << 40U) - 1;
  static constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kThreadShift) - 1;
  static constexpr unsigned kChunkShift = 18;
  static constexpr std::uint64_t kChunkMask = (std::uint64_t{1} << kChunkShift) - 1;

  struct Arena {
    std::unique_ptr<std::uint8_t*[]> chunks;
    std::uint64_t made = 0;
    std::uint64_t gone = 0;  // chunks that were freed
    alignas(64) std::atomic<std::uint64_t> count{0};
  };

  bool add(unsigned thread, const std::uint8_t* packed, std::uint64_t& place);
  std::uint64_t* make_table(std::uint64_t capacity);
  void release(std::uint64_t* table, std::uint64_t capacity);

  struct Piece {
    unsigned thread = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  void place(std::uint64_t word, std::uint64_t hash);
  void move_hashes(const Piece& piece);
  void move_rows(const Piece& piece);
  bool take(std::uint64_t at, std::uint64_t& none, std::uint64_t own);
  bool insert_hash(unsigned thread, const std::uint8_t* packed, std::uint64_t hash);

  std::uint32_t row_bytes_;
  bool compact_;
  search::StopToken& stop_;
  std::vector<Arena> arenas_;
  std::uint64_t* table_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t limit_ = 0;
  // While it grows: the larger table, and what remains to be moved.
  std::uint64_t* larger_ = nullptr;
  std::uint64_t larger_mask_ = 0;
  std::vector<Piece> pieces_;
  std::atomic<std::size_t> next_piece_{0};
  std::atomic<std::size_t> memory_{0};
};

}  // namespace linpoint::refine
