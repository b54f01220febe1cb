// SPDX-License-Identifier: Apache-2.0
// The meaning of an event's single value, by the operation's name: the table of `event_values.py`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linpoint::histories {

/// The rows of the table. For an unlisted name, the completion must be compared with the invocation.
enum class ValueUse : std::uint8_t { kAnswer, kSilent, kTry, kWrite, kChange, kQuery, kCas, kUnlisted };

/// The meaning of an operation's name for its values.
struct NameMeaning {
  std::string plain;  // with _ replaced by -
  ValueUse use = ValueUse::kUnlisted;
  bool is_read = false;
  bool may_drop_value = false;  // with a key, nil is not an argument
  bool has_words = false;       // an operation of multi-word memory, where `read` takes an argument

  explicit NameMeaning(std::string_view name);
};

}  // namespace linpoint::histories
