// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/json_value_reader.hpp"

#include <cstddef>
#include <cstdint>

#include "histories/json_integer.hpp"
#include "histories/json_scan.hpp"

namespace linpoint::histories {

const char* JsonValueReader::read(const char* at, ValueStore& store, Token& token) {
  const char* const end = *at == '[' || *at == '{' ? read_list(at, store) : nullptr;
  if (end == nullptr) return json::read_value(at, token);
  token.kind = Token::Kind::kList;
  token.integer = static_cast<std::int64_t>(store.lists.size()) - 1;
  return end;
}

const char* JsonValueReader::read_arguments(const char* at, ValueStore& store, std::vector<Token>& arguments) {
  if (*at != '[') return nullptr;
  at = json::skip_space(at + 1);
  if (*at == ']') return at + 1;
  for (;;) {
    at = read(at, store, arguments.emplace_back());
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
    if (*at == ']') return at + 1;
    if (*at != ',') return nullptr;
    at = json::skip_space(at + 1);
  }
}

const char* JsonValueReader::read_clocks(const char* at, ClockReadings& clocks) {
  const char* const end = json::skip_value(at, 0);
  clocks.given = false;
  if (end == nullptr || *at != '[') return end;
  const auto is_reading = [](const Token& token) {
    const bool number = token.kind == Token::Kind::kJson && token.text.front() != '"' && token.text.front() != '[' &&
                        token.text.front() != '{';
    return token.kind == Token::Kind::kNull || token.kind == Token::Kind::kInteger || number;
  };
  clocks.call = clocks.ret = Token();
  at = json::skip_space(at + 1);
  if (*at == ']') return end;
  at = json::skip_space(json::read_value(at, clocks.call));
  if (*at != ',') return end;
  at = json::skip_space(json::read_value(json::skip_space(at + 1), clocks.ret));
  clocks.given = *at == ']' && is_reading(clocks.call) && is_reading(clocks.ret);
  return end;
}

/// From the bracket of a list or object to after it; null if it cannot be kept as tokens.
const char* JsonValueReader::read_list(const char* at, ValueStore& store) {
  ListTokens& lists = store.lists;
  if (!lists.ready()) return nullptr;
  const std::size_t held = lists.held();
  const char* const end = read_items(at, 0, store);
  if (end == nullptr) {
    lists.drop(held);
    names_.clear();
    return nullptr;
  }
  lists.finish_list();
  return end;
}

const char* JsonValueReader::read_items(const char* at, int depth, ValueStore& store) {
  if (depth == json::kDeepest) return nullptr;
  ListTokens& lists = store.lists;
  const bool object = *at == '{';
  const char close = object ? '}' : ']';
  const std::size_t header = lists.open();
  const std::size_t names = names_.open();
  std::size_t items = 0;
  at = json::skip_space(at + 1);
  while (*at != close) {
    if (items > 0) {
      if (*at != ',') return nullptr;
      at = json::skip_space(at + 1);
    }
    if (object) at = read_name(at, store);
    if (at != nullptr) at = read_item(at, depth, store);
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
    ++items;
  }
  if (items > ListTokens::kMost || (object && !names_.close(names))) return nullptr;
  lists.close(header, items, object);
  return at + 1;
}

const char* JsonValueReader::read_item(const char* at, int depth, ValueStore& store) {
  ListTokens& lists = store.lists;
  switch (*at) {
    case '[':
    case '{':
      return read_items(at, depth + 1, store);
    case '"': {
      const char* const end = json::plain_string_end(at + 1);
      if (end == nullptr) return nullptr;
      lists.put(store.values.string({at + 1, static_cast<std::size_t>(end - at - 1)}));
      return end + 1;
    }
    case 'n':
      lists.put(ValueStore::kNull);
      return json::skip_value(at, 0);
    case 't':
      lists.put(ValueStore::kTrue);
      return json::skip_value(at, 0);
    case 'f':
      lists.put(ValueStore::kFalse);
      return json::skip_value(at, 0);
    default:
      return json::read_integer(at, lists.wait());
  }
}

/// From the name of an entry to its value.
const char* JsonValueReader::read_name(const char* at, ValueStore& store) {
  const char* const end = *at == '"' ? json::plain_string_end(at + 1) : nullptr;
  if (end == nullptr) return nullptr;
  const std::int32_t name = store.values.string({at + 1, static_cast<std::size_t>(end - at - 1)});
  names_.add(name);
  store.lists.put(name);
  at = json::skip_space(end + 1);
  return *at == ':' ? json::skip_space(at + 1) : nullptr;
}

}  // namespace linpoint::histories
