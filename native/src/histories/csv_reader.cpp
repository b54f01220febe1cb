// SPDX-License-Identifier: Apache-2.0
#include "linpoint/histories/csv_reader.hpp"

#include <optional>
#include <string_view>

#include "histories/json_scan.hpp"

namespace linpoint::histories {

namespace {

constexpr std::ptrdiff_t kLongestCell = 131'072;  // the limit of Python's csv module

/// Whether a cell may contain a character: tab is the only control character allowed.
bool is_plain(char each) { return static_cast<unsigned char>(each) >= 0x20 || each == '\t'; }

}  // namespace

char* CsvReader::read(char* begin, char* end) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  ListTokens& lists = table().store().lists;
  lists.begin_block(bytes / 2 + static_cast<std::size_t>(json::kDeepest) + 1, expected_blocks(bytes));
  for (char* at = begin; at != end;) {
    ++line_;
    at = read_row(at);
    if (at == nullptr) return nullptr;
  }
  lists.end_block(table().store().values);
  return end;
}

char* CsvReader::read_row(char* at) {
  row_.clear(table());
  bool any = false;
  Cell cell{};
  for (std::size_t column = 0;; ++column) {
    while (*at == ' ') ++at;
    if (!(*at == '"' ? read_quoted(at, cell) : read_cell(at, cell))) return nullptr;
    const bool last = *cell.stop != delimiter_;
    if (last && *cell.stop == '\r' && *++cell.stop != '\n') return nullptr;
    if (!keep(column, cell, any)) return nullptr;
    if (any && !in_header_ && column >= columns_.size()) return nullptr;  // more cells than the header
    at = cell.stop + 1;
    if (last) break;
  }
  if (!any) return at;
  if (!in_header_ && !row_.add(table(), line_)) return nullptr;
  in_header_ = false;
  return at;
}

bool CsvReader::read_cell(char* at, Cell& cell) const {
  cell.begin = at;
  while (*at != delimiter_ && is_plain(*at)) ++at;
  cell.end = cell.stop = at;
  return *at == delimiter_ || *at == '\n' || *at == '\r';
}

/// Reads a quoted cell and replaces doubled quotes by single ones.
bool CsvReader::read_quoted(char* at, Cell& cell) const {
  char* out = cell.begin = ++at;
  for (;; ++at) {
    if (!is_plain(*at)) return false;
    if (*at == '"' && *++at != '"') break;
    *out++ = *at;
  }
  cell.end = out;
  cell.stop = at;
  return *at == delimiter_ || *at == '\n' || *at == '\r';
}

bool CsvReader::keep(std::size_t column, const Cell& cell, bool& any) {
  if (cell.end - cell.begin > kLongestCell) return false;
  const std::optional<bool> blank = TableRow::blank({cell.begin, static_cast<std::size_t>(cell.end - cell.begin)});
  if (!blank) return false;
  any = any || !*blank;
  if (*blank || in_header_ || column >= columns_.size() || columns_[column] == kIgnored) return true;
  const char after = *cell.end;
  *cell.end = '\n';
  const bool read = row_.read(static_cast<std::size_t>(columns_[column]), cell.begin, cell.end, table());
  *cell.end = after;
  return read;
}

}  // namespace linpoint::histories
