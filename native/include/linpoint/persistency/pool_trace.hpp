// SPDX-License-Identifier: Apache-2.0
// A trace of a program's accesses to its persistent memory: the input of the persistency model.
//
// A trace is in the order in which the recorded run made its stores visible. Only accesses to the pool are events, but
// every fence and locked instruction is one, whatever memory it accesses, since it completes flushes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace linpoint::persistency {

enum class Kind : std::uint8_t {
  kStore,
  /// A locked instruction that stored and may have read the old value: compare-exchange, exchange, fetch-add, an xchg
  /// in inline assembly. Also a full fence, before its store.
  kUpdate,
  kNonTemporal,  ///< a store that bypasses the caches
  kFlush,        ///< clflush
  kFlushLater,   ///< clflushopt, clwb
  kFence,        ///< sfence, mfence, a seq_cst fence; a locked instruction that did not store, or accessed other memory
  kAllocate,     ///< address; the number of bytes is in value[0..8)
  kFree,
  kCall,    ///< an operation begins
  kReturn,  ///< an operation ends
  kLock,    ///< of a mutex at this address: acts like a locked instruction, which taking a mutex requires
  kUnlock,  ///< of a mutex: may be a plain store, and is not a fence
  kRead,
  kCompare,  ///< value[0..8) and value[8..16) are the operands
  /// A seq_cst store: locked like kUpdate, but without returning the old value, so that it cannot take a lock.
  /// Modelling it as a kStore and a kFence would be wrong: crashes between them would seem to lose the x of an earlier
  /// "clwb x".
  kExchange,
};

inline constexpr std::uint32_t kNoOperation = ~std::uint32_t{0};
inline constexpr std::uint64_t kLineSize = 64;
inline constexpr std::uint64_t kWordSize = 8;  ///< an aligned word persists as a whole
inline constexpr std::size_t kWidestEvent = 16;

/// An access never crosses a line. An access wider than a word that is not atomic becomes several events
/// (`for_each_part`).
struct Event {
  Kind kind = Kind::kStore;
  std::uint8_t size = 0;
  std::uint16_t thread = 0;
  std::uint32_t operation = kNoOperation;
  /// For a fence: 0 for a fence instruction, else what the locked instruction accessed (with its size if in the pool).
  std::uint64_t address = 0;
  /// The bytes stored or read. For a fence instruction: value[0] is 1 if it also orders loads (mfence, seq_cst).
  std::array<std::byte, kWidestEvent> value{};
  std::uint64_t code = 0;  ///< the return address in the program, 0 if unknown
};
static_assert(sizeof(Event) == 40);

[[nodiscard]] constexpr std::uint64_t line_of(std::uint64_t address) { return address & ~(kLineSize - 1); }
[[nodiscard]] constexpr std::uint64_t word_of(std::uint64_t address) { return address & ~(kWordSize - 1); }

/// Whether it is a locked instruction that stored.
[[nodiscard]] constexpr bool is_update(Kind kind) { return kind == Kind::kUpdate || kind == Kind::kExchange; }
[[nodiscard]] constexpr bool is_store(Kind kind) {
  return kind == Kind::kStore || kind == Kind::kNonTemporal || is_update(kind);
}
[[nodiscard]] constexpr bool is_flush(Kind kind) { return kind == Kind::kFlush || kind == Kind::kFlushLater; }
/// Whether it completes the flushes and non-temporal stores of its thread.
[[nodiscard]] constexpr bool is_fence(Kind kind) {
  return kind == Kind::kFence || kind == Kind::kLock || is_update(kind);
}

[[nodiscard]] constexpr bool overlap(std::uint64_t a, std::uint64_t size_of_a, std::uint64_t b,
                                     std::uint64_t size_of_b) {
  return a < b + size_of_b && b < a + size_of_a;
}
[[nodiscard]] constexpr bool overlap(const Event& a, const Event& b) {
  return overlap(a.address, a.size, b.address, b.size);
}

/// The first 8 bytes of a value as a number; only `size` of them count.
[[nodiscard]] constexpr std::uint64_t number_of(const std::byte* value, std::size_t size = kWordSize) {
  std::uint64_t number = 0;
  for (std::size_t at = std::min<std::size_t>(size, kWordSize); at > 0; --at)
    number = number << 8U | std::to_integer<std::uint64_t>(value[at - 1]);
  return number;
}
[[nodiscard]] constexpr std::uint64_t number_of(const Event& event) {
  return number_of(event.value.data(), event.size);
}

/// Calls `each(address, size)` for the parts of a plain store that persist as a whole: split at words, hence also at
/// lines.
template <typename Each>
constexpr void for_each_part(std::uint64_t address, std::uint64_t size, Each&& each) {
  while (size > 0) {
    const std::uint64_t part = std::min(size, word_of(address) + kWordSize - address);
    each(address, part);
    address += part;
    size -= part;
  }
}

}  // namespace linpoint::persistency
