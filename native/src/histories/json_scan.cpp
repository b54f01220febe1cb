// SPDX-License-Identifier: Apache-2.0
#include "histories/json_scan.hpp"

#include <cstring>

#include "histories/json_integer.hpp"

namespace linpoint::histories::json {

namespace {

constexpr std::ptrdiff_t kLong = 200;  // maximum characters of a number; some decoders refuse longer ones
constexpr Word kNull("null");
constexpr Word kTrue("true");
constexpr Word kFalse("false");

const char* skip_word(const char* at, const Word& wanted) {
  return wanted.begins(word(at)) ? at + wanted.length : nullptr;
}

/// The value of the four hexadecimal digits after \u, or -1.
int hexadecimal(const char* at) {
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(at[i]);
    if (digit == std::string_view::npos) return -1;
    code = code * 16 + static_cast<int>(digit < 16 ? digit : digit - 6);
  }
  return code;
}

/// The end of the escape at this backslash. Half a surrogate pair is declined: decoders disagree about it.
const char* skip_escape(const char* at) {
  if (at[1] != 'u') return at[1] != '\0' && std::strchr("\"\\/bfnrt", at[1]) != nullptr ? at + 2 : nullptr;
  const int code = hexadecimal(at + 2);
  if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF)) return nullptr;
  at += 6;
  if (code < 0xD800 || code > 0xDBFF) return at;
  if (at[0] != '\\' || at[1] != 'u') return nullptr;
  const int low = hexadecimal(at + 2);
  return low >= 0xDC00 && low <= 0xDFFF ? at + 6 : nullptr;
}

/// From the opening quote to after the closing one.
const char* skip_string(const char* at) {
  ++at;
  while (*at != '"') {
    if (*at == '\\') {
      at = skip_escape(at);
      if (at == nullptr) return nullptr;
    } else if (static_cast<unsigned char>(*at) < 0x20) {
      return nullptr;
    } else {
      ++at;
    }
  }
  return at + 1;
}

const char* skip_digits(const char* at) {
  if (!is_digit(*at)) return nullptr;
  while (is_digit(*at)) ++at;
  return at;
}

const char* skip_number(const char* at) {
  const char* const begin = at;
  if (*at == '-') ++at;
  if (*at == '0' && is_digit(at[1])) return nullptr;
  at = skip_digits(at);
  if (at != nullptr && *at == '.') at = skip_digits(at + 1);
  if (at != nullptr && (*at == 'e' || *at == 'E')) {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    const char* const exponent = at;
    at = skip_digits(at);
    if (at != nullptr && at - exponent > 2) return nullptr;
  }
  return at != nullptr && at - begin <= kLong ? at : nullptr;
}

/// The end of the list or object at this bracket.
const char* skip_container(const char* at, int depth) {
  if (depth >= kDeepest) return nullptr;
  const bool object = *at == '{';
  const char close = object ? '}' : ']';
  at = skip_space(at + 1);
  if (*at == close) return at + 1;
  for (;;) {
    if (object) {
      at = *at == '"' ? skip_string(at) : nullptr;
      if (at == nullptr) return nullptr;
      at = skip_space(at);
      if (*at != ':') return nullptr;
      at = skip_space(at + 1);
    }
    at = skip_value(at, depth + 1);
    if (at == nullptr) return nullptr;
    at = skip_space(at);
    if (*at == close) return at + 1;
    if (*at != ',') return nullptr;
    at = skip_space(at + 1);
  }
}

const char* as_json(const char* begin, const char* end, Token& token) {
  token.kind = Token::Kind::kJson;
  if (end != nullptr) token.text = {begin, static_cast<std::size_t>(end - begin)};
  return end;
}

const char* read_number(const char* begin, Token& token) {
  const char* const end = read_integer(begin, token.integer);
  if (end == nullptr) return as_json(begin, skip_number(begin), token);
  token.kind = Token::Kind::kInteger;
  return end;
}

}  // namespace

const char* skip_value(const char* at, int depth) {
  switch (*at) {
    case '"':
      return skip_string(at);
    case '[':
    case '{':
      return skip_container(at, depth);
    case 'n':
      return skip_word(at, kNull);
    case 't':
      return skip_word(at, kTrue);
    case 'f':
      return skip_word(at, kFalse);
    default:
      return skip_number(at);
  }
}

const char* read_value(const char* at, Token& token) {
  switch (*at) {
    case '"': {
      const char* const end = plain_string_end(at + 1);
      if (end == nullptr) return as_json(at, skip_string(at), token);
      token.kind = Token::Kind::kString;
      token.text = {at + 1, static_cast<std::size_t>(end - at - 1)};
      return end + 1;
    }
    case '[':
    case '{':
      return as_json(at, skip_container(at, 0), token);
    case 'n':
      token.kind = Token::Kind::kNull;
      return skip_value(at, 0);
    case 't':
      token.kind = Token::Kind::kTrue;
      return skip_value(at, 0);
    case 'f':
      token.kind = Token::Kind::kFalse;
      return skip_value(at, 0);
    default:
      return read_number(at, token);
  }
}

}  // namespace linpoint::histories::json
