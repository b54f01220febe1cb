// SPDX-License-Identifier: Apache-2.0
// The hooks that compilers call with -fsanitize=thread, listed once: both engines define a function for each.
#pragma once

#include <cstdint>

namespace linpoint::runtime {

__extension__ using Wide = unsigned __int128;

template <typename U>
std::uint64_t address_of(const volatile U* at) {
  return reinterpret_cast<std::uint64_t>(at);
}

/// Without the qualifier: the fiber is not interrupted.
template <typename U>
U* plain(const volatile U* at) {
  return const_cast<U*>(at);
}

}  // namespace linpoint::runtime

// NOLINTBEGIN(cppcoreguidelines-macro-usage): names are composed
/// READ(name, size, is_volatile), WRITE likewise, BOTH(name, size).
#define LINPOINT_PLAIN_ACCESSES_OF(size, READ, WRITE, BOTH) \
  READ(__tsan_read##size, size, false)                      \
  WRITE(__tsan_write##size, size, false)                    \
  READ(__tsan_unaligned_read##size, size, false)            \
  WRITE(__tsan_unaligned_write##size, size, false)          \
  READ(__tsan_volatile_read##size, size, true)              \
  WRITE(__tsan_volatile_write##size, size, true)            \
  READ(__tsan_unaligned_volatile_read##size, size, true)    \
  WRITE(__tsan_unaligned_volatile_write##size, size, true)  \
  BOTH(__tsan_read_write##size, size)                       \
  BOTH(__tsan_unaligned_read_write##size, size)

#define LINPOINT_PLAIN_ACCESSES(READ, WRITE, BOTH)  \
  LINPOINT_PLAIN_ACCESSES_OF(1, READ, WRITE, BOTH)  \
  LINPOINT_PLAIN_ACCESSES_OF(2, READ, WRITE, BOTH)  \
  LINPOINT_PLAIN_ACCESSES_OF(4, READ, WRITE, BOTH)  \
  LINPOINT_PLAIN_ACCESSES_OF(8, READ, WRITE, BOTH)  \
  LINPOINT_PLAIN_ACCESSES_OF(16, READ, WRITE, BOTH) \
  READ(__tsan_vptr_read, sizeof(void*), false)

/// FETCH(bits, type, word, result), where the result is an expression of `seen` and `value`.
#define LINPOINT_FETCH_OPERATIONS(bits, U, FETCH) \
  FETCH(bits, U, add, seen + value)               \
  FETCH(bits, U, sub, seen - value)               \
  FETCH(bits, U, and, seen& value)                \
  FETCH(bits, U, or, seen | value)                \
  FETCH(bits, U, xor, seen ^ value)               \
  FETCH(bits, U, nand, ~(seen & value))

/// ATOMICS(bits, type) for each size.
#define LINPOINT_ATOMIC_SIZES(ATOMICS) \
  ATOMICS(8, std::uint8_t)             \
  ATOMICS(16, std::uint16_t)           \
  ATOMICS(32, std::uint32_t)           \
  ATOMICS(64, std::uint64_t)           \
  ATOMICS(128, linpoint::runtime::Wide)
// NOLINTEND(cppcoreguidelines-macro-usage)
