// SPDX-License-Identifier: Apache-2.0
// Reads numbers and lists in the values of options.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

namespace linpoint::runtime {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Removes and returns the text before the first such character, and the character.
inline std::string_view cut(std::string_view& text, char at) {
  const std::size_t found = text.find(at);
  const std::string_view part = text.substr(0, found);
  text.remove_prefix(found == std::string_view::npos ? text.size() : found + 1);
  return part;
}

}  // namespace linpoint::runtime
