// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/edn_reader.hpp"

#include <algorithm>
#include <array>

#include "histories/json_scan.hpp"

namespace linpoint::histories {

namespace {

constexpr std::array<std::string_view, 7> kFields{"process", "type", "f", "index", "time", "value", "key"};
constexpr std::size_t kScalarFields = 5;
constexpr std::size_t kValue = 5;

bool opens(const char* at) { return *at == '[' || *at == '(' || *at == '{' || *at == '#'; }

}  // namespace

char* EdnReader::read(char* begin, char* end) {
  ListTokens& lists = events_.store().lists;
  const auto bytes = static_cast<std::size_t>(end - begin);
  // Every token has a character of its own, except for brackets that are not closed within the block.
  lists.begin_block(bytes + static_cast<std::size_t>(json::kDeepest), expected_blocks(bytes));
  const char behind = *end;
  *end = '\0';
  end_ = end;
  const char* done = begin;
  while (done != end) {
    const std::int32_t line = line_;
    const std::size_t size = lists.size();
    const std::size_t held = lists.held();
    kept_ = true;
    cut_ = false;
    names_.clear();
    const char* const next = read_top(done);
    if (next == nullptr && !cut_) return nullptr;
    if (next == nullptr) {
      line_ = line;
      lists.shrink(size);
      lists.drop(held);
      break;
    }
    done = next;
  }
  lists.end_block(events_.store().values);
  *end = behind;
  return begin + (done - begin);
}

/// Reads an event, or a bracket around all events.
const char* EdnReader::read_top(const char* at) {
  at = find_form(at, 0);
  if (at == nullptr || (at == end_ && !tagged_)) return at;
  if (*at == '{') return read_event(at);
  if (tagged_) return missing(at);
  if (outer_ == '\0' && (*at == '[' || *at == '(')) {
    outer_ = *at == '[' ? ']' : ')';
    return at + 1;
  }
  if (outer_ == '\0' || *at != outer_) return nullptr;
  outer_ = '\0';
  return at + 1;
}

const char* EdnReader::read_event(const char* at) {
  const std::int32_t line = line_ + 1;
  fields_ = {};
  seen_ = 0;
  at = find_form(at + 1, 1);
  while (at != nullptr && *at != '}') {
    if (opens(at)) return nullptr;
    Token name;
    at = read_form(at, 1, name);
    if (at != nullptr) at = read_field(at, name);
    if (at != nullptr) at = find_form(at, 1);
  }
  if (at == nullptr || tagged_) return nullptr;
  return events_.add(fields_, line) ? at + 1 : nullptr;
}

/// Reads a value, from after the entry's name to after the value.
const char* EdnReader::read_field(const char* at, const Token& name) {
  const auto* const found = name.kind == Token::Kind::kString ? std::ranges::find(kFields, name.text) : kFields.end();
  if (found == kFields.end()) return skip_form(at, 1);
  const auto field = static_cast<std::size_t>(found - kFields.begin());
  if (((seen_ >> field) & 1U) != 0) return nullptr;  // decoders use the last of several
  seen_ |= 1U << field;
  at = find_value(at, 1);
  if (at == nullptr) return nullptr;
  if (field == kValue) return read_value(at, fields_.value);
  if (opens(at)) return nullptr;
  Token token;
  at = read_form(at, 1, token);
  if (at == nullptr) return nullptr;
  if (field >= kScalarFields) {
    fields_.key = events_.store().number(token);
    return at;
  }
  const bool lasts = token.kind != Token::Kind::kString || token.text.data() != text_.data();
  *std::array{&fields_.process, &fields_.type, &fields_.f, &fields_.index, &fields_.time}[field] = token;
  return lasts ? at : nullptr;
}

const char* EdnReader::read_value(const char* at, std::int32_t& number) {
  ListTokens& lists = events_.store().lists;
  Token token;
  const bool list = opens(at);
  if (list && !lists.ready()) return nullptr;
  at = read_form(at, 1, token);
  if (at == nullptr) return nullptr;
  if (list) {
    lists.finish_list();
    token = {.kind = Token::Kind::kList, .integer = static_cast<std::int64_t>(lists.size()) - 1, .text = {}};
  }
  number = events_.store().number(token);
  return at;
}

const char* EdnReader::skip_form(const char* at, int depth) {
  const bool kept = kept_;
  kept_ = false;
  at = find_value(at, depth);
  Token token;
  if (at != nullptr) at = read_form(at, depth, token);
  kept_ = kept;
  return at;
}

const char* EdnReader::find_value(const char* at, int depth) {
  at = find_form(at, depth);
  if (at == nullptr || *at == ']' || *at == ')' || *at == '}' || *at == '\0') return at == nullptr ? at : missing(at);
  return at;
}

const char* EdnReader::missing(const char* at) {
  cut_ = at == end_;
  return nullptr;
}

}  // namespace linpoint::histories
