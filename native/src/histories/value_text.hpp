// SPDX-License-Identifier: Apache-2.0
// Values of a history as text, made from their numbers and tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linpoint/histories/interner.hpp"

namespace linpoint::histories {

/// The number of tokens of the first item.
std::size_t item_size(std::span<const std::int32_t> tokens);

/// JSON as Python's encoder writes it with or without spaces, and EDN as our writer does.
enum class Notation : std::uint8_t { kJson, kCompactJson, kEdn };

class ValueText {
 public:
  /// A value that was kept as JSON text, by number, in the notation.
  using Written = std::pair<std::int32_t, std::string>;

  /// `written` is in ascending order. Both must outlive this object.
  ValueText(const Interner& values, Notation notation, std::span<const Written> written = {})
      : values_(values), notation_(notation), written_(written) {}

  /// Appends the value whose tokens begin here, and advances past them. False if a value's text is missing.
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
