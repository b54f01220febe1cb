// SPDX-License-Identifier: Apache-2.0
// Skips JSON in a buffer whose lines end in '\n': each function takes the position where a value begins and returns
// where it ends, or null for text that is not JSON or that some decoders may not accept.
//
// Guarantee: nothing is read beyond the line except the `kLookahead` bytes after it, which must exist: '\n' is not part
// of any value, so it stops every loop.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "linpoint/histories/token.hpp"

namespace linpoint::histories::json {

inline constexpr std::size_t kLookahead = 16;
/// The limit of the format: deeper nesting is a coded error.
inline constexpr int kDeepest = 64;

inline const char* skip_space(const char* at) {
  while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
  return at;
}

inline bool is_digit(char each) { return each >= '0' && each <= '9'; }

/// Eight bytes as a number, the first one lowest on every machine.
inline std::uint64_t word(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return bytes;
}

/// Up to eight characters that can be compared in one operation.
struct Word {
  std::uint64_t bytes = 0;
  std::uint64_t mask = 0;
  std::ptrdiff_t length = 0;

  constexpr explicit Word(std::string_view text) : length(static_cast<std::ptrdiff_t>(text.size())) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      bytes |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
      mask |= std::uint64_t{0xFF} << (8 * i);
    }
  }
  [[nodiscard]] bool begins(std::uint64_t text) const { return (text & mask) == bytes; }
};

/// From after the opening quote to the closing one, for a string without escapes; null otherwise.
inline const char* plain_string_end(const char* at) {
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
  return *at == '"' ? at : nullptr;
}

/// The end of the value that begins here. Strings have valid escapes; numbers are within every decoder's range.
const char* skip_value(const char* at, int depth);

/// Reads the value that begins here.
const char* read_value(const char* at, Token& token);

}  // namespace linpoint::histories::json
