// SPDX-License-Identifier: Apache-2.0
#include "histories/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linpoint::histories {

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// The number of leading bytes that are certainly ASCII, in steps of a few words.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  std::uint64_t words[8] = {};
  for (; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words, text.data() + at, sizeof words);
    std::uint64_t any = 0;
    for (const std::uint64_t each : words) any |= each;
    if ((any & kHighBits) != 0) break;
  }
  return at;
}

/// How a sequence of bytes begins, its length, and the range of its second byte; later bytes are 0x80 to 0xBF.
struct Form {
  unsigned first;
  unsigned last;
  std::size_t length;
  unsigned low;
  unsigned high;
};

constexpr Form kForms[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

/// The length of the sequence that begins here, or 0 if it is invalid.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  for (const Form& form : kForms) {
    if (byte(0) < form.first || byte(0) > form.last) continue;
    if (text.size() < form.length) return 0;
    for (std::size_t i = 1; i < form.length; ++i)
      if (byte(i) < (i == 1 ? form.low : 0x80) || byte(i) > (i == 1 ? form.high : 0xBF)) return 0;
    return form.length;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_prefix(text));
    // After the first non-ASCII byte, continue byte by byte for a while: text in another script has many of them.
    for (std::size_t left = 64; left > 0 && !text.empty(); --left) {
      const std::size_t length = sequence(text);
      if (length == 0) return false;
      text.remove_prefix(length);
    }
  }
  return true;
}

bool holds_unicode_space(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view space : {"\xC2\x85"sv, "\xC2\xA0"sv, "\xE1\x9A\x80"sv, "\xE2\x80\xA8"sv, "\xE2\x80\xA9"sv,
                                       "\xE2\x80\xAF"sv, "\xE2\x81\x9F"sv, "\xE3\x80\x80"sv})
    if (text.find(space) != std::string_view::npos) return true;
  for (std::size_t at = text.find("\xE2\x80"); at != std::string_view::npos; at = text.find("\xE2\x80", at + 1))
    if (at + 2 < text.size() && static_cast<unsigned char>(text[at + 2]) <= 0x8A) return true;  // U+2000 to U+200A
  return false;
}

}  // namespace linpoint::histories
