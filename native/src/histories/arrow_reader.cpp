// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/arrow_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "histories/arrow_column.hpp"
#include "histories/float_times.hpp"
#include "histories/json_scan.hpp"
#include "histories/json_text.hpp"
#include "histories/utf8.hpp"

namespace linpoint::histories {

using Kind = ArrowColumn::Kind;
using Field = OperationTable::Field;

bool ArrowReader::add(const ArrowSchema& schema, const ArrowArray& batch, std::span<const std::int32_t> columns) {
  const std::optional<ArrowColumn> rows = ArrowColumn::of(schema, batch);
  if (!rows || rows->kind() != Kind::kStruct || rows->children().size() != columns.size()) return false;
  table_.store().lists.begin_block(0, 1);
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.length); ++row) {
    row_.clear(table_);
    texts_used_ = 0;
    ++line_;
    for (std::size_t column = 0; column < columns.size(); ++column)
      if (!read(static_cast<std::size_t>(columns[column]), rows->children()[column], rows->member_row(row)))
        return false;
    if (!row_.add(table_, line_)) return false;
  }
  table_.store().lists.end_block(table_.store().values);
  return true;
}

bool ArrowReader::read(std::size_t column, const ArrowColumn& cells, std::size_t row) {
  const std::optional<std::size_t> at = cells.find(row);
  const ArrowColumn& values = cells.values();
  const bool text = at && values.kind() == Kind::kText;
  const std::optional<bool> blank = text ? TableRow::blank(values.text(*at)) : std::optional(!at.has_value());
  if (!blank) return false;
  if (*blank) {
    if (column == Field::kResult) row_.put(column, {.kind = Token::Kind::kNull});
    return true;
  }
  return text ? read_text(column, values.text(*at)) : read_typed(column, values, *at);
}

/// A text cell has the same meaning as in CSV.
bool ArrowReader::read_text(std::size_t column, std::string_view text) {
  const bool odd =
      std::ranges::any_of(text, [](char each) { return static_cast<unsigned char>(each) < 0x20 && each != '\t'; });
  if (odd || !is_utf8(text)) return false;
  if (!table_.store().lists.make_room(text.size() / 2 + static_cast<std::size_t>(json::kDeepest) + 1)) return false;
  std::string& cell = room();
  cell.assign(text).append(1 + json::kLookahead, '\n');
  return row_.read(column, cell.data(), cell.data() + text.size(), table_);
}

bool ArrowReader::read_typed(std::size_t column, const ArrowColumn& values, std::size_t at) {
  const bool list = values.kind() == Kind::kList;
  if (column == TableRow::kCrash && values.kind() == Kind::kBool && !values.bit(at)) return true;
  if (column == Field::kArguments) return list && read_arguments(values, at);
  if (column == Field::kTimes) return read_clocks(values, at);
  Token token;
  if (!(list || values.kind() == Kind::kStruct ? read_list(values, at, token) : read_scalar(values, at, token)))
    return false;
  row_.put(column, token);
  return true;
}

bool ArrowReader::read_scalar(const ArrowColumn& values, std::size_t at, Token& token) {
  switch (values.kind()) {
    case Kind::kBool:
      token.kind = values.bit(at) ? Token::Kind::kTrue : Token::Kind::kFalse;
      return true;
    case Kind::kInteger: {
      const std::optional<std::int64_t> value = values.integer(at);
      token.kind = Token::Kind::kInteger;
      token.integer = value.value_or(0);
      return value.has_value();
    }
    case Kind::kUnsigned: {
      const std::uint64_t value = values.unsigned_integer(at);
      token.kind = Token::Kind::kInteger;
      token.integer = static_cast<std::int64_t>(value);
      return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    case Kind::kFloat: {
      const double value = values.number(at);
      if (!std::isfinite(value)) return false;
      const std::optional<std::int64_t> ordered = ordered_float(value);
      token.kind = ordered ? Token::Kind::kFloat : Token::Kind::kJson;
      token.integer = ordered.value_or(0);
      std::string& text = room();
      json::append_float(text, value);
      token.text = text;
      return true;
    }
    case Kind::kText:
      token.kind = Token::Kind::kString;
      token.text = values.text(at);
      return is_utf8(token.text);
    default:
      return false;
  }
}

bool ArrowReader::read_arguments(const ArrowColumn& values, std::size_t at) {
  row_.put(Field::kArguments, {.kind = Token::Kind::kList});
  const auto [begin, end] = values.items(at);
  const ArrowColumn& items = values.children().front();
  for (std::size_t item = begin; item < end; ++item) {
    Token& token = row_.fields().arguments.emplace_back();
    token.kind = Token::Kind::kNull;
    const std::optional<std::size_t> found = items.find(item);
    if (!found) continue;
    const bool nested = items.kind() == Kind::kList || items.kind() == Kind::kStruct;
    if (!(nested ? read_list(items.values(), *found, token) : read_scalar(items.values(), *found, token))) return false;
  }
  return true;
}

/// Reads two times; anything else is ignored.
bool ArrowReader::read_clocks(const ArrowColumn& values, std::size_t at) {
  row_.put(Field::kTimes, {.kind = Token::Kind::kList});
  if (values.kind() != Kind::kList) return true;
  const auto [begin, end] = values.items(at);
  const ArrowColumn& items = values.children().front();
  if (end != begin + 2 || items.kind() == Kind::kText || items.kind() == Kind::kBool) return true;
  ClockReadings& clocks = row_.fields().clocks;
  clocks.given = true;
  for (Token* const clock : {&clocks.call, &clocks.ret}) {
    *clock = {.kind = Token::Kind::kNull};
    const std::optional<std::size_t> found = items.find(clock == &clocks.call ? begin : begin + 1);
    if (found && !read_scalar(items.values(), *found, *clock)) return false;
  }
  return true;
}

bool ArrowReader::read_list(const ArrowColumn& values, std::size_t at, Token& token) {
  ListTokens& lists = table_.store().lists;
  if (!lists.ready() || !put_value(values, at, 0)) return false;
  lists.finish_list();
  token.kind = Token::Kind::kList;
  token.integer = static_cast<std::int64_t>(lists.size()) - 1;
  return true;
}

/// Adds the tokens of a list or a struct.
bool ArrowReader::put_value(const ArrowColumn& values, std::size_t at, int depth) {
  if (depth == json::kDeepest) return false;
  if (values.kind() == Kind::kStruct) return put_members(values, at, depth);
  ListTokens& lists = table_.store().lists;
  const auto [begin, end] = values.items(at);
  if (end < begin || !lists.make_room(1)) return false;
  const std::size_t header = lists.open();
  for (std::size_t item = begin; item < end; ++item)
    if (!put_cell(values.children().front(), item, depth)) return false;
  lists.close(header, end - begin, false);
  return true;
}

bool ArrowReader::put_members(const ArrowColumn& values, std::size_t at, int depth) {
  ListTokens& lists = table_.store().lists;
  if (!lists.make_room(1)) return false;
  const std::size_t header = lists.open();
  const std::size_t names = names_.open();
  for (const ArrowColumn& member : values.children()) {
    if (!is_utf8(member.name()) || !lists.make_room(1)) return false;
    const std::int32_t name = table_.store().values.string(member.name());
    names_.add(name);
    lists.put(name);
    if (!put_cell(member, values.member_row(at), depth)) return false;
  }
  lists.close(header, values.children().size(), true);
  return names_.close(names);
}

bool ArrowReader::put_cell(const ArrowColumn& cells, std::size_t row, int depth) {
  ListTokens& lists = table_.store().lists;
  const std::optional<std::size_t> at = cells.find(row);
  const ArrowColumn& values = cells.values();
  if (at && (values.kind() == Kind::kList || values.kind() == Kind::kStruct)) return put_value(values, *at, depth + 1);
  if (!lists.make_room(1)) return false;
  Token token;
  if (at && !read_scalar(values, *at, token)) return false;
  if (token.kind == Token::Kind::kFloat || token.kind == Token::Kind::kJson) return false;
  lists.put(table_.store().number(token));
  return true;
}

/// An empty text that lives as long as the row.
std::string& ArrowReader::room() {
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  std::string& text = texts_[texts_used_++];
  text.clear();
  return text;
}

}  // namespace linpoint::histories
