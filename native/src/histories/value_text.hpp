// SPDX-License-Identifier: Apache-2.0
// Values of a history as text, from their numbers and tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linpoint/histories/interner.hpp"

namespace linpoint::histories {

/// How many of these tokens the first item is.
std::size_t item_size(std::span<const std::int32_t> tokens);

/// As Python's encoder writes JSON with spaces or without, and as our writer writes EDN.
enum class Notation : std::uint8_t { kJson, kCompactJson, kEdn };

class ValueText {
 public:
  /// A value that was left as JSON text, by number, in the notation.
  using Written = std::pair<std::int32_t, std::string>;

  /// `written` is in ascending order. Both must outlive this.
  ValueText(const Interner& values, Notation notation, std::span<const Written> written = {})
      : values_(values), notation_(notation), written_(written) {}

  /// Appends the value whose tokens begin here, and goes behind them. False where one is not written.
  bool append(std::string& out, const std::int32_t*& token) const;
  bool append_scalar(std::string& out, std::int32_t number) const;
  bool append_string(std::string& out, std::string_view text) const;

 private:
  bool append_written(std::string& out, std::int32_t number) const;

  const Interner& values_;
  Notation notation_;
  std::span<const Written> written_;
};

}  // namespace linpoint::histories
