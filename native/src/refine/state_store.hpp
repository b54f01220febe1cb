// SPDX-License-Identifier: Apache-2.0
// All states that were found, each once: packed rows in the order in which they came, and a table of hashes over them.
//
// Rows belong to the thread that found them and are never moved; a row's number is its thread and its place there. The
// table is open addressing over one 64-bit word for each row: 24 bits of the hash and the number, so that a look at a
// row is needed only where both agree. Threads insert without locks; the table grows between batches, while nobody
// inserts. Memory: a row, and 8 bytes at a load between 0.375 and 0.75. All memory is asked for; a refusal stops the
// search.
//
// With `compact` the table has 64 bits of the hash alone, and rows are forgotten once they were expanded: 8 bytes at
// the same load, but two states with one hash are taken for one. Of n states some two have one with odds of n * n /
// 2^65.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "linpoint/refine/program.hpp"
#include "linpoint/search/stop_token.hpp"

namespace linpoint::refine {

/// A state as it is stored. Rows may be read and written 16 bytes beyond their end.
class Packing {
 public:
  explicit Packing(const Program& program)
      : slots_(program.slots - 1),
        slot_bytes_(program.slot_bytes),
        bytes_(4 + (program.slots - 1) * program.slot_bytes) {}

  [[nodiscard]] std::uint32_t bytes() const { return bytes_; }
  /// False if a value does not fit.
  bool pack(const Slot* state, std::uint8_t* row) const {
    std::memcpy(row, state, 4);
    switch (slot_bytes_) {
      case 1:
        return pack_bytes(state + 1, row + 4);
      case 2: {
        Slot all = 0;
        for (std::uint32_t i = 0; i < slots_; ++i) {
          all |= state[1 + i];
          const auto narrow = static_cast<std::uint16_t>(state[1 + i]);
          std::memcpy(row + 4 + std::size_t{2} * i, &narrow, 2);
        }
        return all <= 0xffffU;
      }
      default:
        std::memcpy(row + 4, state + 1, slots_ * sizeof(Slot));
        return true;
    }
  }
  void unpack(const std::uint8_t* row, Slot* state) const {
    std::memcpy(state, row, 4);
    switch (slot_bytes_) {
      case 1:
        for (std::uint32_t i = 0; i < slots_; ++i) state[1 + i] = row[4 + i];
        return;
      case 2:
        for (std::uint32_t i = 0; i < slots_; ++i) {
          std::uint16_t narrow = 0;
          std::memcpy(&narrow, row + 4 + std::size_t{2} * i, 2);
          state[1 + i] = narrow;
        }
        return;
      default:
        std::memcpy(state + 1, row + 4, slots_ * sizeof(Slot));
    }
  }

 private:
#ifdef __SSE2__
  bool pack_bytes(const Slot* from, std::uint8_t* to) const {
    __m128i all = _mm_setzero_si128();
    const auto load = [&](std::uint32_t i) {
      const __m128i four =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));  // NOLINT: as intrinsics want it
      all = _mm_or_si128(all, four);
      return four;
    };
    for (std::uint32_t i = 0; i < slots_; i += 16) {
      const __m128i low = _mm_packs_epi32(load(i), load(i + 4));
      const __m128i high = _mm_packs_epi32(load(i + 8), load(i + 12));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_packus_epi16(low, high));  // NOLINT
    }
    const __m128i large = _mm_andnot_si128(_mm_set1_epi32(0xff), all);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(large, _mm_setzero_si128())) == 0xffff;
  }
#else
  bool pack_bytes(const Slot* from, std::uint8_t* to) const {
    Slot all = 0;
    for (std::uint32_t i = 0; i < slots_; ++i) {
      all |= from[i];
      to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return all <= 0xffU;
  }
#endif

  std::uint32_t slots_;
  std::uint32_t slot_bytes_;
  std::uint32_t bytes_;
};

/// Whether two rows of at least 8 bytes are equal.
inline bool same_rows(const std::uint8_t* one, const std::uint8_t* other, std::uint32_t bytes) {
  const auto word = [](const std::uint8_t* from) {
    std::uint64_t found = 0;
    std::memcpy(&found, from, 8);
    return found;
  };
  for (std::uint32_t i = 0; i + 8 < bytes; i += 8)
    if (word(one + i) != word(other + i)) return false;
  return word(one + bytes - 8) == word(other + bytes - 8);
}

/// Of at least 8 bytes.
std::uint64_t hash_row(const std::uint8_t* row, std::uint32_t bytes);

class StateStore {
 public:
  using Number = std::uint64_t;
  static constexpr unsigned kThreadShift = 36;
  static constexpr Number kNowhere = ~Number{0};

  StateStore(std::uint32_t row_bytes, unsigned threads, bool compact, search::StopToken& stop);
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;
  ~StateStore();

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(table_ + (hash & mask_)); }
  void prefetch_row(std::uint64_t hash) const {
    const std::uint64_t word = __atomic_load_n(table_ + (hash & mask_), __ATOMIC_RELAXED);
    if (word == 0 || compact_) return;
    const std::uint8_t* const first = row((word & kNumberMask) - 1);
    __builtin_prefetch(first);
    __builtin_prefetch(first + row_bytes_ - 1);  // it may be in two lines of the cache
  }
  /// Whether the row was new; it is then `thread`'s. Gives false too if memory was refused.
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

  /// Whether it should grow before anything more is inserted.
  [[nodiscard]] bool is_tight() const { return size() >= limit_; }
  /// While nobody inserts. False if there is no memory.
  bool grow();
  /// Rows of each thread before these will not be asked for again; only where the store is compact.
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
    std::uint64_t gone = 0;  // chunks that were given back
    alignas(64) std::atomic<std::uint64_t> count{0};
  };

  bool add(unsigned thread, const std::uint8_t* packed, std::uint64_t& place);
  std::uint64_t* make_table(std::uint64_t capacity);
  void release(std::uint64_t* table, std::uint64_t capacity);

  bool move_hashes(std::uint64_t* larger, std::uint64_t mask) const;
  bool move_rows(std::uint64_t* larger, std::uint64_t mask) const;
  bool insert_hash(unsigned thread, const std::uint8_t* packed, std::uint64_t hash);

  std::uint32_t row_bytes_;
  bool compact_;
  search::StopToken& stop_;
  std::vector<Arena> arenas_;
  std::uint64_t* table_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t limit_ = 0;
  std::atomic<std::size_t> memory_{0};
};

}  // namespace linpoint::refine
