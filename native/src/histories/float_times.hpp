// SPDX-License-Identifier: Apache-2.0
// Float times as integers with the same order.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace linpoint::histories {

/// Flips the bits of negative numbers, so that the order is preserved; its own inverse.
inline std::int64_t flipped(std::int64_t bits) {
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;  // NOLINT(bugprone-signed-bitwise)
}

/// An integer that compares with others as the float does. Only one of the two zeros may occur.
inline std::int64_t ordered(double time) { return flipped(std::bit_cast<std::int64_t>(time)); }

/// The float of an ordered integer.
inline double unordered(std::int64_t time) { return std::bit_cast<double>(flipped(time)); }

/// The largest integer up to which every integer is also a float.
inline constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53U;  // NOLINT(bugprone-signed-bitwise)

/// The ordered integer of an integer among floats, if the float represents it exactly.
inline std::optional<std::int64_t> ordered_whole(std::int64_t time) {
  if (time < -kLargestWhole || time > kLargestWhole) return std::nullopt;
  return ordered(static_cast<double>(time));
}

/// The ordered integer of a finite float, except -0.0.
inline std::optional<std::int64_t> ordered_float(double time) {
  if (!std::isfinite(time) || (time == 0 && std::signbit(time))) return std::nullopt;
  return ordered(time);
}

/// The same for a JSON number with a fraction or an exponent; nothing for other JSON.
inline std::optional<std::int64_t> ordered_text(std::string_view text) {
  if (text.find_first_of("[{\"") != std::string_view::npos || text.find_first_of(".eE") == std::string_view::npos)
    return std::nullopt;
#ifdef __cpp_lib_to_chars
  double time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return ordered_float(time);
#else
  return std::nullopt;
#endif
}

}  // namespace linpoint::histories
