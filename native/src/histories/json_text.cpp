// SPDX-License-Identifier: Apache-2.0
#include "histories/json_text.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace linpoint::histories::json {

namespace {

constexpr int kFirstExponent = 16;  // decimal exponent from which on floats are written with an exponent
constexpr int kLastFixed = -5;      // decimal exponent down to which small floats are written without one

}  // namespace

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

void append_float(std::string& out, double value) {
  std::array<char, 40> written{};
  const auto [end, error] =
      std::to_chars(written.data(), written.data() + written.size(), value, std::chars_format::scientific);
  std::string_view text(written.data(), static_cast<std::size_t>(end - written.data()));
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  int exponent = 0;
  const std::size_t sign = text[mark + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + mark + 1 + sign, text.data() + text.size(), exponent);
  std::string digits(1, text.front());
  if (mark > 1) digits.append(text.substr(2, mark - 2));
  if (exponent > kLastFixed && exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else if (exponent >= 0 && exponent < kFirstExponent) {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    out.append(digits, 0, whole).append(".");
    out.append(digits.size() > whole ? std::string_view(digits).substr(whole) : std::string_view("0"));
  } else {
    out.append(digits, 0, 1);
    if (digits.size() > 1) out.append(".").append(digits, 1);
    out.append(text.substr(mark));
  }
}

void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char each : text) {
    switch (each) {
      case '"':
      case '\\':
        out.append({'\\', each});
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default: {
        const auto code = static_cast<unsigned char>(each);
        if (code < 0x20)
          out.append("\\u00").append({kDigits[code / 16U], kDigits[code % 16U]});
        else
          out += each;
      }
    }
  }
  out += '"';
}

void append_token(std::string& out, const Token& token) {
  switch (token.kind) {
    case Token::Kind::kTrue:
      out += "true";
      break;
    case Token::Kind::kFalse:
      out += "false";
      break;
    case Token::Kind::kInteger:
      append_integer(out, token.integer);
      break;
    case Token::Kind::kString:
      append_string(out, token.text);
      break;
    case Token::Kind::kJson:
    case Token::Kind::kFloat:
      out += token.text;
      break;
    default:
      out += "null";
  }
}

}  // namespace linpoint::histories::json
