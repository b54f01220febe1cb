// SPDX-License-Identifier: Apache-2.0
#include "refine/state_store.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>

namespace linpoint::refine {

namespace {

constexpr std::uint64_t kFirstCapacity = std::uint64_t{1} << 17U;
constexpr std::uint64_t kSmall = std::uint64_t{1} << 23U;
constexpr std::uint64_t kMostChunks = std::uint64_t{1} << 16U;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 15U;
constexpr std::uint64_t kMostThreads = 16;
// The table does not fill up between two checks, whatever all threads insert.
static_assert(kFirstCapacity / 4 > kMostThreads * StateStore::kLook);
constexpr std::size_t kRowsAhead = 512;
constexpr std::size_t kHuge = std::size_t{2} << 20U;

/// Zeroed memory from the system, in large pages where available: a table is read at random places.
void* map(std::size_t bytes) {
  void* const found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return nullptr;  // NOLINT(performance-no-int-to-ptr): the system's constant
#ifdef MADV_HUGEPAGE
  if (bytes >= kHuge) ::madvise(found, bytes, MADV_HUGEPAGE);
#endif
  return found;
}

std::uint64_t word_of(std::uint64_t hash, std::uint64_t number) { return (hash >> 40U << 40U) | number; }

}  // namespace

StateStore::StateStore(std::uint32_t row_bytes, unsigned threads, bool compact, search::StopToken& stop)
    : row_bytes_(row_bytes), compact_(compact), stop_(stop), arenas_(threads) {
  for (Arena& arena : arenas_) arena.chunks = std::make_unique<std::uint8_t*[]>(kMostChunks);
  table_ = make_table(kFirstCapacity);
  if (table_ == nullptr) return;
  mask_ = kFirstCapacity - 1;
  limit_ = kFirstCapacity / 2;
}

StateStore::~StateStore() {
  release(table_, mask_ + 1);
  for (const Arena& arena : arenas_)
    for (std::uint64_t i = arena.gone; i < arena.made; ++i)
      ::munmap(arena.chunks[i], ((std::size_t{1} << kChunkShift) + 1) * row_bytes_ + 16);
  stop_.release(memory_.load());
}

std::uint64_t* StateStore::make_table(std::uint64_t capacity) {
  const std::size_t bytes = capacity * sizeof(std::uint64_t);
  if (!stop_.reserve(bytes)) return nullptr;
  void* const made = map(bytes);
  if (made == nullptr) {
    stop_.release(bytes);
    stop_.stop(search::StopReason::kMemory);
    return nullptr;
  }
  memory_.fetch_add(bytes);
  return static_cast<std::uint64_t*>(made);
}

void StateStore::release(std::uint64_t* table, std::uint64_t capacity) {
  if (table == nullptr) return;
  const std::size_t bytes = capacity * sizeof(std::uint64_t);
  ::munmap(table, bytes);
  memory_.fetch_sub(bytes);
  stop_.release(bytes);
}

std::uint64_t StateStore::size() const {
  std::uint64_t all = 0;
  for (const Arena& arena : arenas_) all += arena.count.load(std::memory_order_relaxed);
  return all;
}

bool StateStore::grow() {
  begin_growing();
  move_some();
  return end_growing();
}

void StateStore::begin_growing() {
  // Large steps while it is small, since growth rehashes each row.
  const std::uint64_t capacity = (mask_ + 1) * (mask_ + 1 < kSmall ? 4 : 2);
  larger_ = make_table(capacity);
  larger_mask_ = capacity - 1;
  pieces_.clear();
  next_piece_.store(0);
  if (larger_ == nullptr) return;
  const auto cut = [&](unsigned thread, std::uint64_t count) {
    for (std::uint64_t from = 0; from < count; from += kPiece)
      pieces_.push_back({thread, from, std::min(count, from + kPiece)});
  };
  if (compact_)
    cut(0, mask_ + 1);
  else
    for (unsigned thread = 0; thread < arenas_.size(); ++thread) cut(thread, count(thread));
}

void StateStore::move_some() {
  for (;;) {
    const std::size_t next = next_piece_.fetch_add(1);
    if (next >= pieces_.size() || stop_.poll()) return;
    if (compact_)
      move_hashes(pieces_[next]);
    else
      move_rows(pieces_[next]);
  }
}

bool StateStore::end_growing() {
  if (larger_ == nullptr) return false;
  if (stop_.stopped()) {
    release(larger_, larger_mask_ + 1);
    larger_ = nullptr;
    return false;
  }
  release(table_, mask_ + 1);
  table_ = larger_;
  mask_ = larger_mask_;
  larger_ = nullptr;
  limit_ = (mask_ + 1) / 4 * 3;
  return true;
}

/// Inserts a word that is not yet in the larger table.
void StateStore::place(std::uint64_t word, std::uint64_t hash) {
  for (std::uint64_t at = hash & larger_mask_;; at = (at + 1) & larger_mask_) {
    std::uint64_t none = __atomic_load_n(larger_ + at, __ATOMIC_RELAXED);
    if (none != 0) continue;
    if (__atomic_compare_exchange_n(larger_ + at, &none, word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

void StateStore::move_hashes(const Piece& piece) {
  for (std::uint64_t i = piece.from; i < piece.to; ++i)
    if (table_[i] != 0) place(table_[i], table_[i]);
}

void StateStore::move_rows(const Piece& piece) {
  constexpr std::uint64_t kAhead = 32;
  std::array<std::uint64_t, kAhead> hashes{};
  const Number base = Number{piece.thread} << kThreadShift;
  for (std::uint64_t from = piece.from; from < piece.to; from += kAhead) {
    const std::uint64_t some = std::min(piece.to - from, kAhead);
    for (std::uint64_t i = 0; i < some; ++i) {
      hashes[i] = hash_row(row(base | (from + i)), row_bytes_);
      __builtin_prefetch(larger_ + (hashes[i] & larger_mask_), 1);
    }
    for (std::uint64_t i = 0; i < some; ++i) place(word_of(hashes[i], (base | (from + i)) + 1), hashes[i]);
  }
}

void StateStore::forget_before(const std::vector<std::uint64_t>& places) {
  if (!compact_) return;
  const std::size_t bytes = ((std::size_t{1} << kChunkShift) + 1) * row_bytes_ + 16;
  for (std::size_t thread = 0; thread < arenas_.size(); ++thread) {
    Arena& arena = arenas_[thread];
    for (; arena.gone < places[thread] >> kChunkShift; ++arena.gone) {
      ::munmap(arena.chunks[arena.gone], bytes);
      memory_.fetch_sub(bytes);
      stop_.release(bytes);
    }
  }
}

bool StateStore::add(unsigned thread, const std::uint8_t* packed, std::uint64_t& place) {
  Arena& arena = arenas_[thread];
  place = arena.count.load(std::memory_order_relaxed);
  if (place >> kChunkShift == arena.made) {
    const std::size_t bytes = ((std::size_t{1} << kChunkShift) + 1) * row_bytes_ + 16;
    if (arena.made == kMostChunks || !stop_.reserve(bytes)) return false;
    void* const made = map(bytes);
    if (made == nullptr) {
      stop_.release(bytes);
      stop_.stop(search::StopReason::kMemory);
      return false;
    }
    memory_.fetch_add(bytes);
    arena.chunks[arena.made++] = static_cast<std::uint8_t*>(made);
  }
  // Whole pieces: excess bytes are written where the next row will be.
  std::uint8_t* const to = arena.chunks[place >> kChunkShift] + (place & kChunkMask) * row_bytes_;
  for (std::uint32_t i = 0; i < row_bytes_; i += 16) std::memcpy(to + i, packed + i, 16);
  // Other threads wait until the row is written, so prefetch the memory of the next rows now.
  __builtin_prefetch(to + kRowsAhead, 1);
  return true;
}

// Words hold a row's number plus 1, so that 0 means empty.

/// Puts a word where `none` is; if another thread was faster, sets `none` to the word it put there.
inline bool StateStore::take(std::uint64_t at, std::uint64_t& none, std::uint64_t own) {
  if (arenas_.size() == 1) {  // no other thread has to wait for the row to be written
    __atomic_store_n(table_ + at, own, __ATOMIC_RELEASE);
    return true;
  }
  return __atomic_compare_exchange_n(table_ + at, &none, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool StateStore::insert_hash(unsigned thread, const std::uint8_t* packed, std::uint64_t hash) {
  const std::uint64_t own = hash == 0 ? 1 : hash;
  for (std::uint64_t at = own & mask_;; at = (at + 1) & mask_) {
    std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_ACQUIRE);
    if (word == own) return false;
    if (word != 0) continue;
    std::uint64_t place = 0;
    if (!add(thread, packed, place)) return false;
    if (take(at, word, own)) {
      arenas_[thread].count.store(place + 1, std::memory_order_release);
      return true;
    }
    if (word == own) return false;
  }
}

bool StateStore::insert(unsigned thread, const std::uint8_t* packed, std::uint64_t hash) {
  if (compact_) return insert_hash(thread, packed, hash);
  std::uint64_t own = 0;
  std::uint64_t place = 0;
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_ACQUIRE);
    if (word == 0) {
      if (own == 0) {
        if (!add(thread, packed, place)) return false;
        own = word_of(hash, ((Number{thread} << kThreadShift) | place) + 1);
      }
      if (take(at, word, own)) {
        arenas_[thread].count.store(place + 1, std::memory_order_release);
        return true;
      }
    }
    if (word >> 40U == hash >> 40U && same_rows(row((word & kNumberMask) - 1), packed, row_bytes_)) return false;
  }
}

StateStore::Number StateStore::find(const std::uint8_t* packed, std::uint64_t hash) const {
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    const std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_ACQUIRE);
    if (word == 0) return kNowhere;
    if (word >> 40U == hash >> 40U && same_rows(row((word & kNumberMask) - 1), packed, row_bytes_))
      return (word & kNumberMask) - 1;
  }
}

}  // namespace linpoint::refine
