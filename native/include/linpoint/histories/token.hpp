// SPDX-License-Identifier: Apache-2.0
// A value as it appears in a text, before it has a number.
#pragma once

#include <cstdint>
#include <string_view>

namespace linpoint::histories {

/// Views refer to the text that is being read and do not outlive it.
struct Token {
  enum class Kind : std::uint8_t { kMissing, kNull, kTrue, kFalse, kInteger, kString, kJson, kList, kFloat, kNumber };

  Kind kind = Kind::kMissing;
  std::int64_t integer = 0;  // of a list, its number; of a float, its `ordered_float`; of kNumber, the number of a
                             // value
  std::string_view text{};   // of a string, without its quotes; of any other JSON and of a float, all of it

  [[nodiscard]] bool absent() const { return kind == Kind::kMissing || kind == Kind::kNull; }
};

/// The clock readings of a process at a call and a return, in addition to the times that order them; null where
/// missing.
struct ClockReadings {
  bool given = false;
  Token call;
  Token ret;
};

}  // namespace linpoint::histories
