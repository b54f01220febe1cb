// SPDX-License-Identifier: Apache-2.0
#include "host/protocol/json.hpp"

#include <array>
#include <cstdio>

namespace linpoint::runtime {

namespace {

/// The number of bytes of the character at the beginning; 0 if it is invalid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned least = 0;
  unsigned code = 0;
  if (first >= 0xC2 && first < 0xE0) {
    length = 2, least = 0x80, code = first & 0x1FU;
  } else if (first >= 0xE0 && first < 0xF0) {
    length = 3, least = 0x800, code = first & 0x0FU;
  } else if (first >= 0xF0 && first < 0xF5) {
    length = 4, least = 0x10000, code = first & 0x07U;
  }
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(at) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || code > 0x10FFFF || surrogate ? 0 : length;
}

}  // namespace

void Json::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t length = utf8_length(text);
    if (length == 0) {
      text_ += "\\ufffd";
      length = 1;
    } else if (byte == '"' || byte == '\\') {
      text_ += '\\';
      text_ += text.front();
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escaped{};
      (void)std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(byte));
      text_ += escaped.data();
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  text_ += '"';
}

}  // namespace linpoint::runtime
