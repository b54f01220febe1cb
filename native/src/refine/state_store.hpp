// SPDX-License-Identifier: Apache-2.0
// All states that were found, each once: packed rows in the order in which they came, and a table of hashes over them.
//
// Rows belong to the thread that found them and are never moved; a row's number is its thread and its place there. The
// table is open addressing over one 64-bit word for each row: 24 bits of the hash and the number, so that a look at a
// row is needed only where both agree. Threads insert without locks, as long as the table is not tight: who inserts has
// to look every `kLook` rows. It grows while nobody inserts, and all may help. Memory: a row, and 8 bytes at a load
// between 0.375 and 0.75. All memory is asked for; a refusal stops the search.
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

/// The hash of a row of `bytes` and a number that is stored behind them.
inline std::uint64_t hash_parts(const std::uint8_t* row, std::uint32_t bytes, std::uint32_t number) {
  // Two lanes, which do not wait for each other.
  const auto word = [row](std::uint32_t at) {
    std::uint64_t found = 0;
    std::memcpy(&found, row + at, 8);
    return found;
  };
  std::uint64_t one = 0x9e3779b97f4a7c15ULL ^ number;
  std::uint64_t other = 0xc2b2ae3d27d4eb4fULL;
  std::uint32_t at = 0;
  for (; at + 16 <= bytes; at += 16) {
    one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
    other = (other ^ word(at + 8)) * 0x9fb21c651e98df25ULL;
    one ^= one >> 32U;
    other ^= other >> 32U;
  }
  if (at + 8 <= bytes) {
    one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
    at += 8;
  }
  if (at < bytes) {
    const std::uint64_t last = word(at) & (~std::uint64_t{0} >> (64 - 8 * (bytes - at)));
    other = (other ^ last) * 0x9fb21c651e98df25ULL;
  }
  std::uint64_t hash = (one ^ (one >> 32U)) * 0x9fb21c651e98df25ULL + (other ^ (other >> 29U)) * 0xc4ceb9fe1a85ec53ULL;
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32U);
}

/// Of a whole row.
inline std::uint64_t hash_row(const std::uint8_t* row, std::uint32_t bytes) {
  std::uint32_t number = 0;
  std::memcpy(&number, row + bytes - 4, 4);
  return hash_parts(row, bytes - 4, number);
}

/// A state as it is stored: its slots, and last the number of what the specification allows. Rows may be read and
/// written 16 bytes beyond their end.
class Packing {
 public:
  explicit Packing(const Program& program)
      : slots_(program.slots - 1),
        slot_bytes_(program.slot_bytes),
        bytes_(4 + (program.slots - 1) * program.slot_bytes) {}

  [[nodiscard]] std::uint32_t bytes() const { return bytes_; }
  /// Gives the hash of the row too. False if a value does not fit.
  bool pack(const Slot* state, std::uint8_t* row, std::uint64_t& hash) const {
    bool fits = true;
    switch (slot_bytes_) {
      case 1:
        fits = pack_bytes(state + 1, row);
        break;
      case 2: {
        Slot all = 0;
        for (std::uint32_t i = 0; i < slots_; ++i) {
          all |= state[1 + i];
          const auto narrow = static_cast<std::uint16_t>(state[1 + i]);
          std::memcpy(row + std::size_t{2} * i, &narrow, 2);
        }
        fits = all <= 0xffffU;
        break;
      }
      default:
        std::memcpy(row, state + 1, slots_ * sizeof(Slot));
    }
    // Before the last four bytes are written: a word of which two stores wrote parts has to wait for both.
    hash = hash_parts(row, bytes_ - 4, state[0]);
    std::memcpy(row + bytes_ - 4, state, 4);
    return fits;
  }
  /// `state` has `kSlack` slots more than are written.
  void unpack(const std::uint8_t* row, Slot* state) const {
    std::memcpy(state, row + bytes_ - 4, 4);
    switch (slot_bytes_) {
      case 1:
        unpack_bytes(row, state + 1);
        return;
      case 2:
        for (std::uint32_t i = 0; i < slots_; ++i) {
          std::uint16_t narrow = 0;
          std::memcpy(&narrow, row + std::size_t{2} * i, 2);
          state[1 + i] = narrow;
        }
        return;
      default:
        std::memcpy(state + 1, row, slots_ * sizeof(Slot));
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
  void unpack_bytes(const std::uint8_t* from, Slot* to) const {
    const __m128i none = _mm_setzero_si128();
    for (std::uint32_t i = 0; i < slots_; i += 16) {
      const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));  // NOLINT
      const __m128i low = _mm_unpacklo_epi8(all, none);
      const __m128i high = _mm_unpackhi_epi8(all, none);
      const auto store = [&](std::uint32_t at, __m128i four) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i + at), four);  // NOLINT
      };
      store(0, _mm_unpacklo_epi16(low, none));
      store(4, _mm_unpackhi_epi16(low, none));
      store(8, _mm_unpacklo_epi16(high, none));
      store(12, _mm_unpackhi_epi16(high, none));
    }
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
  void unpack_bytes(const std::uint8_t* from, Slot* to) const {
    for (std::uint32_t i = 0; i < slots_; ++i) to[i] = from[i];
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

class StateStore {
 public:
  using Number = std::uint64_t;
  static constexpr unsigned kThreadShift = 36;
  static constexpr Number kNowhere = ~Number{0};
  /// So many rows a thread may insert before it looks again whether the table is tight.
  static constexpr std::uint64_t kLook = 1024;

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

  /// Whether it must grow before anything more is inserted.
  [[nodiscard]] bool is_tight() const { return size() >= limit_; }
  // Growing, while nobody inserts: one thread begins and ends it, any number move rows in between.
  void begin_growing();
  void move_some();
  /// False if there was no memory, or the search was stopped.
  bool end_growing();
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

  struct Piece {
    unsigned thread = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  void place(std::uint64_t word, std::uint64_t hash);
  void move_hashes(const Piece& piece);
  void move_rows(const Piece& piece);
  bool insert_hash(unsigned thread, const std::uint8_t* packed, std::uint64_t hash);

  std::uint32_t row_bytes_;
  bool compact_;
  search::StopToken& stop_;
  std::vector<Arena> arenas_;
  std::uint64_t* table_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t limit_ = 0;
  // While it grows: the larger table, and what is to be moved.
  std::uint64_t* larger_ = nullptr;
  std::uint64_t larger_mask_ = 0;
  std::vector<Piece> pieces_;
  std::atomic<std::size_t> next_piece_{0};
  std::atomic<std::size_t> memory_{0};
};

}  // namespace linpoint::refine
