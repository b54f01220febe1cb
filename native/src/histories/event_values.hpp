// SPDX-License-Identifier: Apache-2.0
// What the one value of an event means, by the operation's name: the table of `event_values.py`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linpoint::histories {

/// The rows of the table. Of an unlisted name an echo must be looked for.
enum class ValueUse : std::uint8_t { kAnswer, kSilent, kTry, kWrite, kChange, kQuery, kCas, kUnlisted };

/// What an operation's name says of its values.
struct NameMeaning {
  std::string plain;  // with - for _
  ValueUse use = ValueUse::kUnlisted;
  bool is_read = false;
  bool may_drop_value = false;  // nil is no argument where there is a key
  bool has_words = false;       // an operation of multi-word memory, where `read` takes an argument

  explicit NameMeaning(std::string_view name);
};

}  // namespace linpoint::histories
