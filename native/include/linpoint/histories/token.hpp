// SPDX-License-Identifier: Apache-2.0
// A value as it stands in a text, before it has a number.
#pragma once

#include <cstdint>
#include <string_view>

namespace linpoint::histories {

/// Characters are those of the text that is being read and do not outlive it.
struct Token {
  enum class Kind : std::uint8_t { kMissing, kNull, kTrue, kFalse, kInteger, kString, kJson, kList, kFloat, kNumber };

  Kind kind = Kind::kMissing;
  std::int64_t integer = 0;  // of a list its number; of a float what `ordered_float` makes of it; the number of a value
  std::string_view text{};   // of a string without its quotes, of any other JSON and of a float all of it

  [[nodiscard]] bool absent() const { return kind == Kind::kMissing || kind == Kind::kNull; }
};

/// What the clocks of a process showed at a call and a return, beside the times that order them; null where nothing.
struct ClockReadings {
  bool given = false;
  Token call;
  Token ret;
};

}  // namespace linpoint::histories
