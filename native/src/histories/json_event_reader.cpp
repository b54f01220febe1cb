// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/json_event_reader.hpp"

#include <array>

#include "histories/float_times.hpp"
#include "histories/json_scan.hpp"

namespace linpoint::histories {

namespace {

// All known names fit into eight bytes with their closing quote.
constexpr std::array kNames{
    json::Word("process\""), json::Word("type\""),  json::Word("f\""),   json::Word("index\""),
    json::Word("time\""),    json::Word("value\""), json::Word("key\""),
};
constexpr std::size_t kTime = 4;
constexpr std::size_t kValue = 5;
constexpr std::size_t kKey = 6;

bool is_number(const Token& token) {
  return token.kind == Token::Kind::kJson && (token.text.front() == '-' || json::is_digit(token.text.front()));
}

bool is_container(const Token& token) {
  return token.kind == Token::Kind::kJson && (token.text.front() == '[' || token.text.front() == '{');
}

}  // namespace

char* JsonEventReader::read(char* begin, char* end) {
  ListTokens& lists = events_.store().lists;
  const auto bytes = static_cast<std::size_t>(end - begin);
  lists.begin_block(bytes / 2 + static_cast<std::size_t>(json::kDeepest) + 1, expected_blocks(bytes));
  for (const char* at = begin; at != end;) {
    ++line_;
    at = read_line(at);
    if (at == nullptr) return nullptr;
  }
  lists.end_block(events_.store().values);
  return end;
}

const char* JsonEventReader::read_line(const char* at) {
  bool any = false;
  for (at = json::skip_space(at); *at != '\n'; at = json::skip_space(at)) {
    if (*at != '{') {
      at = read_mark(at);
    } else if (place_ == Place::kBehind || place_ == Place::kDone || (any && place_ == Place::kLines)) {
      return nullptr;
    } else {
      place_ = place_ == Place::kStart || place_ == Place::kLines ? Place::kLines : Place::kBehind;
      any = true;
      at = read_event(at);
    }
    if (at == nullptr) return nullptr;
  }
  return at + 1;
}

/// Reads the punctuation around the elements of an array.
const char* JsonEventReader::read_mark(const char* at) {
  if (*at == '[' && place_ == Place::kStart)
    place_ = Place::kFirst;
  else if (*at == ',' && place_ == Place::kBehind)
    place_ = Place::kElement;
  else if (*at == ']' && (place_ == Place::kBehind || place_ == Place::kFirst))
    place_ = Place::kDone;
  else
    return nullptr;
  return at + 1;
}

const char* JsonEventReader::read_event(const char* at) {
  fields_ = {};
  seen_ = 0;
  do {
    at = read_field(json::skip_space(at + 1));
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
  } while (*at == ',');
  return *at == '}' && events_.add(fields_, line_) ? at + 1 : nullptr;
}

const char* JsonEventReader::read_field(const char* at) {
  const char* const end = *at == '"' ? json::plain_string_end(at + 1) : nullptr;
  if (end == nullptr) return nullptr;
  std::size_t field = 0;
  while (field < kNames.size() && !kNames[field].begins(json::word(at + 1))) ++field;
  at = json::skip_space(end + 1);
  if (*at != ':') return nullptr;
  at = json::skip_space(at + 1);
  if (field == kNames.size()) return json::skip_value(at, 0);
  if (((seen_ >> field) & 1U) != 0) return nullptr;  // decoders use the last of several
  seen_ |= 1U << field;
  if (field == kValue) return read_value(at, fields_.value);
  if (field == kKey) {
    Token key;
    at = json::read_value(at, key);
    if (at == nullptr || is_container(key)) return nullptr;
    fields_.key = events_.store().number(key);
    return at;
  }
  Token& token = *std::array{&fields_.process, &fields_.type, &fields_.f, &fields_.index, &fields_.time}[field];
  at = json::read_value(at, token);
  if (at == nullptr || field != kTime || !is_number(token)) {
    if (field == kTime && token.kind == Token::Kind::kJson) token.kind = Token::Kind::kMissing;
    return at;
  }
  const std::optional<std::int64_t> ordered = ordered_text(token.text);
  token.kind = Token::Kind::kFloat;
  token.integer = ordered.value_or(0);
  return ordered ? at : nullptr;
}

const char* JsonEventReader::read_value(const char* at, std::int32_t& number) {
  Token token;
  at = values_.read(at, events_.store(), token);
  if (at == nullptr || is_container(token)) return nullptr;
  number = events_.store().number(token);
  return at;
}

}  // namespace linpoint::histories
