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
constexpr std::uint64_t kPolling = std::uint64_t{1} << 16U;
constexpr std::size_t kHuge = std::size_t{2} << 20U;

/// Memory from the system, zero, in large pages where there are such: a table is read at random places.
void* map(std::size_t bytes) {
  void* const found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return nullptr;  // NOLINT(performance-no-int-to-ptr): as the system says it
#ifdef MADV_HUGEPAGE
  if (bytes >= kHuge) ::madvise(found, bytes, MADV_HUGEPAGE);
#endif
  return found;
}

std::uint64_t word_of(std::uint64_t hash, std::uint64_t number) { return (hash >> 40U << 40U) | number; }

}  // namespace

std::uint64_t hash_row(const std::uint8_t* row, std::uint32_t bytes) {
  // Two lanes, which do not wait for each other; the last words may overlap those before them.
  const auto word = [row](std::uint32_t at) {
    std::uint64_t found = 0;
    std::memcpy(&found, row + at, 8);
    return found;
  };
  std::uint64_t one = 0x9e3779b97f4a7c15ULL ^ bytes;
  std::uint64_t other = 0xc2b2ae3d27d4eb4fULL;
  std::uint32_t at = 0;
  for (; at + 16 < bytes; at += 16) {
    one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
    other = (other ^ word(at + 8)) * 0x9fb21c651e98df25ULL;
    one ^= one >> 32U;
    other ^= other >> 32U;
  }
  if (at + 8 < bytes) one = (one ^ word(at)) * 0xff51afd7ed558ccdULL;
  other = (other ^ word(bytes - 8)) * 0x9fb21c651e98df25ULL;
  std::uint64_t hash = (one ^ (one >> 32U)) + (other ^ (other >> 29U)) * 0xc4ceb9fe1a85ec53ULL;
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32U);
}

StateStore::StateStore(std::uint32_t row_bytes, unsigned threads, bool compact, search::StopToken& stop)
    : row_bytes_(row_bytes), compact_(compact), stop_(stop), arenas_(threads) {
  for (Arena& arena : arenas_) arena.chunks = std::make_unique<std::uint8_t*[]>(kMostChunks);
  table_ = make_table(kFirstCapacity);
  if (table_ == nullptr) return;
  mask_ = kFirstCapacity - 1;
  limit_ = kFirstCapacity / 4 * 3 / 2;  // a batch of a small search may bring many
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
  // Large steps while it is small: each row is hashed again with each.
  const std::uint64_t capacity = (mask_ + 1) * (mask_ < kSmall ? 4 : 2);
  std::uint64_t* const larger = make_table(capacity);
  if (larger == nullptr) return false;
  if (!(compact_ ? move_hashes(larger, capacity - 1) : move_rows(larger, capacity - 1))) {
    release(larger, capacity);
    return false;
  }
  release(table_, mask_ + 1);
  table_ = larger;
  mask_ = capacity - 1;
  limit_ = capacity / 4 * 3;
  return true;
}

bool StateStore::move_hashes(std::uint64_t* larger, std::uint64_t mask) const {
  for (std::uint64_t i = 0; i <= mask_; ++i) {
    if (i % kPolling == 0 && stop_.poll()) return false;
    if (table_[i] == 0) continue;
    std::uint64_t at = table_[i] & mask;
    while (larger[at] != 0) at = (at + 1) & mask;
    larger[at] = table_[i];
  }
  return true;
}

bool StateStore::move_rows(std::uint64_t* larger, std::uint64_t mask) const {
  constexpr std::uint64_t kAhead = 32;
  std::array<std::uint64_t, kAhead> hashes{};
  for (unsigned thread = 0; thread < arenas_.size(); ++thread) {
    const std::uint64_t count = arenas_[thread].count.load();
    const Number base = Number{thread} << kThreadShift;
    for (std::uint64_t from = 0; from < count; from += kAhead) {
      if (from % kPolling == 0 && stop_.poll()) return false;
      const std::uint64_t some = std::min(count - from, kAhead);
      for (std::uint64_t i = 0; i < some; ++i) {
        hashes[i] = hash_row(row(base | (from + i)), row_bytes_);
        __builtin_prefetch(larger + (hashes[i] & mask), 1);
      }
      for (std::uint64_t i = 0; i < some; ++i) {
        std::uint64_t at = hashes[i] & mask;
        while (larger[at] != 0) at = (at + 1) & mask;
        larger[at] = word_of(hashes[i], (base | (from + i)) + 1);
      }
    }
  }
  return true;
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
  std::memcpy(arena.chunks[place >> kChunkShift] + (place & kChunkMask) * row_bytes_, packed, row_bytes_);
  return true;
}

// Words hold a row's number plus 1, so that 0 is for none.

bool StateStore::insert_hash(unsigned thread, const std::uint8_t* packed, std::uint64_t hash) {
  const std::uint64_t own = hash == 0 ? 1 : hash;
  for (std::uint64_t at = own & mask_;; at = (at + 1) & mask_) {
    std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_ACQUIRE);
    if (word == own) return false;
    if (word != 0) continue;
    std::uint64_t place = 0;
    if (!add(thread, packed, place)) return false;
    if (__atomic_compare_exchange_n(table_ + at, &word, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      arenas_[thread].count.fetch_add(1, std::memory_order_release);
      return true;
    }
    if (word == own) return false;
  }
}

bool StateStore::insert(unsigned thread, const std::uint8_t* packed, std::uint64_t hash) {
  if (compact_) return insert_hash(thread, packed, hash);
  std::uint64_t own = 0;
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    std::uint64_t word = __atomic_load_n(table_ + at, __ATOMIC_ACQUIRE);
    if (word == 0) {
      if (own == 0) {
        std::uint64_t place = 0;
        if (!add(thread, packed, place)) return false;
        own = word_of(hash, ((Number{thread} << kThreadShift) | place) + 1);
      }
      if (__atomic_compare_exchange_n(table_ + at, &word, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        arenas_[thread].count.fetch_add(1, std::memory_order_release);
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
