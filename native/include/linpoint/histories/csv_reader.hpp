// SPDX-License-Identifier: Apache-2.0
// Tables in CSV, read directly into a table of operations: a header, then one operation per row with JSON in its cells.
//
// Guarantee: that of `text_reader.hpp` and `table_row.hpp`. Quotes are interpreted as by Python's csv module in strict
// mode with spaces before cells skipped. A cell that spans several lines is declined. Cost: about 0.3 microseconds per
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "linpoint/histories/table_row.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::histories {

class CsvReader final : public TextReader {
 public:
  /// Marks a column of the file that is not one of ours.
  static constexpr std::int32_t kIgnored = -1;

  /// `columns` gives the `TableRow` column of each cell of the header. The first row is the header if `with_header`.
  CsvReader(std::size_t expected_bytes, char delimiter, std::vector<std::int32_t> columns, bool with_header)
      : TextReader(expected_bytes), delimiter_(delimiter), columns_(std::move(columns)), in_header_(with_header) {}

 private:
  /// A cell, and where it ends.
  struct Cell {
    char* begin;
    char* end;
    char* stop;  // the delimiter or the end of the line
  };

  char* read(char* begin, char* end) override;

  // These return null, or false, to decline.
  char* read_row(char* at);
  bool read_cell(char* at, Cell& cell) const;
  bool read_quoted(char* at, Cell& cell) const;
  bool keep(std::size_t column, const Cell& cell, bool& any);

  char delimiter_;
  std::vector<std::int32_t> columns_;
  bool in_header_;
  TableRow row_;
};

}  // namespace linpoint::histories
