// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/table_row.hpp"

#include <string>
#include <utility>

#include "histories/json_scan.hpp"
#include "histories/json_text.hpp"
#include "histories/utf8.hpp"

namespace linpoint::histories {

namespace {

constexpr std::array<std::string_view, TableRow::kColumns> kNames{
    "process", "op",    "args",  "result", "call",       "return", "outcome",
    "key",     "order", "times", "crash",  "annotation", "time",   "until",
};
constexpr std::size_t kLong = 200;  // maximum characters of a number; some decoders refuse longer ones

/// Whether text that our scanner does not accept as JSON is not JSON for any decoder, not even a number out of range.
bool certainly_plain(std::string_view text) {
  if (text.front() == '"' || text.front() == '[' || text.front() == '{') return false;
  if (text.front() != '-' && !json::is_digit(text.front())) return true;
  if (text.size() > kLong) return false;
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string_view::npos) return true;
  const std::size_t digits = text.find_first_not_of("+-", exponent + 1);
  return digits == std::string_view::npos || text.find_first_not_of("0123456789", digits) - digits < 3;
}

}  // namespace

std::optional<bool> TableRow::blank(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(" \t\r\n\v\f\x1c\x1d\x1e\x1f");
  if (first == std::string_view::npos) return true;
  if (static_cast<unsigned char>(cell[first]) >= 0x80 && holds_unicode_space(cell)) return std::nullopt;
  return false;
}

void TableRow::clear(OperationTable& table) {
  fields_.clear();
  cells_.fill(Token());
  lists_ = table.store().lists.size();
  any_ = false;
}

bool TableRow::read(std::size_t column, const char* begin, const char* end, OperationTable& table) {
  using enum OperationTable::Field;
  any_ = true;
  Token& cell = cells_[column];
  cell.kind = Token::Kind::kJson;
  cell.text = {begin, static_cast<std::size_t>(end - begin)};
  Token other;
  Token& token = column < OperationTable::kFields ? fields_.tokens[column] : other;
  const char* at = json::skip_space(begin);
  switch (column) {
    case kArguments:
      token.kind = Token::Kind::kJson;
      at = values_.read_arguments(at, table.store(), fields_.arguments);
      break;
    case kResult:
      at = values_.read(at, table.store(), token);
      break;
    case kTimes:
      token.kind = Token::Kind::kJson;
      at = JsonValueReader::read_clocks(at, fields_.clocks);
      break;
    case kCall:
    case kReturn:
    case kOrder:
    case kTime:
    case kUntil:
      at = json::read_value(at, token);
      break;
    default:
      return read_text(column, at, end, token);
  }
  return at != nullptr && json::skip_space(at) == end;
}

/// Reads a cell that may be plain text; it begins at `at`, apart from white space.
bool TableRow::read_text(std::size_t column, const char* at, const char* end, Token& token) {
  const char* const behind = json::read_value(at, token);
  if (behind != nullptr && json::skip_space(behind) == end) return true;
  cells_[column].kind = Token::Kind::kString;
  token = cells_[column];
  return certainly_plain({at, static_cast<std::size_t>(end - at)});
}

void TableRow::put(std::size_t column, const Token& token) {
  any_ = true;
  cells_[column] = token;
  if (column < OperationTable::kFields) fields_.tokens[column] = token;
}

bool TableRow::add(OperationTable& table, std::int32_t line) {
  if (!any_) return true;
  if (fields_[OperationTable::kOp].kind == Token::Kind::kMissing) {
    table.store().lists.shrink(lists_);
    return add_other(table, line);
  }
  if (cells_[kCrash].kind != Token::Kind::kMissing || cells_[kAnnotation].kind != Token::Kind::kMissing) return false;
  return table.add(fields_, line);
}

bool TableRow::add_other(OperationTable& table, std::int32_t line) const {
  std::string text;
  for (std::size_t column = 0; column < kColumns; ++column) {
    const Token& cell = cells_[column];
    if (cell.kind == Token::Kind::kMissing) continue;
    if (cell.kind == Token::Kind::kList) return false;
    text.append(text.empty() ? "{\"" : ",\"").append(kNames[column]).append("\":");
    json::append_token(text, cell);
  }
  table.add_other(line, std::move(text.append("}")));
  return true;
}

}  // namespace linpoint::histories
