// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/line_reader.hpp"

#include <string>
#include <string_view>

#include "histories/json_scan.hpp"

namespace linpoint::histories {

namespace {

// All known names fit into eight bytes with their closing quote; in the order of Field.
constexpr std::array kNames{
    json::Word("process\""), json::Word("op\""),     json::Word("args\""),    json::Word("result\""),
    json::Word("call\""),    json::Word("return\""), json::Word("outcome\""), json::Word("key\""),
    json::Word("order\""),   json::Word("times\""),
};

/// From after a name to the value.
const char* skip_colon(const char* at) {
  at = json::skip_space(at);
  return *at == ':' ? json::skip_space(at + 1) : nullptr;
}

}  // namespace

LineReader::Field LineReader::field_named(std::uint64_t text, Field expected) {
  static_assert(kNames.size() == OperationTable::kFields);
  if (expected != kUnknown && kNames[expected].begins(text)) return expected;
  for (std::uint8_t field = 0; field < OperationTable::kFields; ++field)
    if (kNames[field].begins(text)) return static_cast<Field>(field);
  return kUnknown;
}

char* LineReader::read(char* begin, char* end) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  // Tokens are separated by at least one character, except opening brackets, and each of those is closed again, however
  // long the block is.
  table().store().lists.begin_block(bytes / 2 + static_cast<std::size_t>(json::kDeepest) + 1, expected_blocks(bytes));
  for (const char* at = begin; at != end;) {
    ++line_;
    at = read_line(at);
    if (at == nullptr) return nullptr;
  }
  table().store().lists.end_block(table().store().values);
  return end;
}

const char* LineReader::read_line(const char* begin) {
  const char* at = json::skip_space(begin);
  if (*at == '\n') return at + 1;
  if (*at != '{') return nullptr;
  fields_.clear();
  other_ = false;
  const std::size_t lists = table().store().lists.size();
  Field field = kUnknown;
  do {
    at = json::skip_space(at + 1);
    if (*at != '"') return nullptr;
    field = next_[field] = field_named(json::word(at + 1), next_[field]);
    at = field == kUnknown ? skip_unknown(at) : read_field(at + 1 + kNames[field].length, field);
    if (at == nullptr) return nullptr;
    at = json::skip_space(at);
  } while (*at == ',');
  if (*at != '}') return nullptr;
  at = json::skip_space(at + 1);
  if (*at != '\n') return nullptr;
  if (other_ || fields_[OperationTable::kOp].kind == Token::Kind::kMissing) {
    table().add_other(line_, std::string(begin, static_cast<std::size_t>(at - begin)));
    table().store().lists.shrink(lists);
    return at + 1;
  }
  return table().add(fields_, line_) ? at + 1 : nullptr;
}

const char* LineReader::read_field(const char* at, Field field) {
  Token& token = fields_[field];
  if (token.kind != Token::Kind::kMissing) return nullptr;  // decoders use the last of several
  at = skip_colon(at);
  if (at == nullptr) return nullptr;
  if (field == OperationTable::kResult) return values_.read(at, table().store(), token);
  if (field != OperationTable::kArguments && field != OperationTable::kTimes) return json::read_value(at, token);
  token.kind = Token::Kind::kJson;
  return field == OperationTable::kTimes ? JsonValueReader::read_clocks(at, fields_.clocks)
                                         : values_.read_arguments(at, table().store(), fields_.arguments);
}

const char* LineReader::skip_unknown(const char* at) {
  const char* const end = json::plain_string_end(at + 1);
  if (end == nullptr) return nullptr;
  const std::string_view name(at + 1, static_cast<std::size_t>(end - at - 1));
  other_ = other_ || name == "crash" || name == "annotation";
  at = skip_colon(end + 1);
  return at == nullptr ? nullptr : json::skip_value(at, 0);
}

}  // namespace linpoint::histories
