// SPDX-License-Identifier: Apache-2.0
// Integers in a line, eight digits at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "histories/json_scan.hpp"

namespace linpoint::histories::json {

namespace detail {

inline constexpr int kSafeDigits = 19;  // an unsigned integer with this many digits cannot overflow 64 bits
inline constexpr std::array<std::uint64_t, 9> kPowers{
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000,
};

/// The number of leading digits among eight characters, given as `word` with the high halves of digits removed.
inline unsigned leading_digits(std::uint64_t bytes) {
  // Carries from a non-digit byte only affect later bytes, which no longer count.
  const std::uint64_t others = ((bytes + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
  return static_cast<unsigned>(std::countr_zero(others)) / 8U;
}

/// The value of the first `count` digits, at least one: pairs, then groups of four, then all, added within the word.
inline std::uint64_t number_of(std::uint64_t bytes, unsigned count) {
  bytes <<= 64U - 8U * count;  // zeros in front
  bytes = bytes * 10 + (bytes >> 8U);
  return ((bytes & 0x000000FF000000FFU) * 0x000F424000000064U +
          ((bytes >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U) >>
         32U;
}

}  // namespace detail

/// The end of the 64-bit integer that begins here, or null for other numbers, such as -0 and those with a fraction.
inline const char* read_integer(const char* begin, std::int64_t& integer) {
  constexpr std::uint64_t kZeros = 0x3030303030303030U;
  const bool negative = *begin == '-';
  const char* const digits = begin + (negative ? 1 : 0);
  std::uint64_t bytes = word(digits) ^ kZeros;
  unsigned count = detail::leading_digits(bytes);
  if (count == 0) return nullptr;
  std::uint64_t value = detail::number_of(bytes, count);
  const char* at = digits + count;
  if (count == 8) {
    bytes = word(at) ^ kZeros;
    count = detail::leading_digits(bytes);
    if (count > 0) value = value * detail::kPowers[count] + detail::number_of(bytes, count);
    at += count;
    while (is_digit(*at) && at - digits < detail::kSafeDigits)
      value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  const bool zero = *digits == '0' && at != begin + 1;  // -0, 00
  const bool more = is_digit(*at) || *at == '.' || *at == 'e' || *at == 'E';
  if (zero || more || value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return nullptr;
  integer = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  return at;
}

}  // namespace linpoint::histories::json
