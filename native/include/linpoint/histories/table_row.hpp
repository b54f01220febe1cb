// SPDX-License-Identifier: Apache-2.0
// A row of a table of text cells, as in CSV: JSON, and in some columns also plain text. It becomes an operation.
//
// Guarantee: gives a cell the same meaning as the Python readers, or declines the row. Text in a column that allows it
// is plain if it is certainly not JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "linpoint/histories/json_value_reader.hpp"
#include "linpoint/histories/operation_table.hpp"

namespace linpoint::histories {

class TableRow {
 public:
  /// The columns, as numbers: the fields of an operation, then those of other entries.
  enum Column : std::uint8_t { kCrash = OperationTable::kFields, kAnnotation, kTime, kUntil, kColumns };

  void clear(OperationTable& table);
  /// Reads the cell of a column that has not come yet. It must end at '\n', which may be overwritten, followed by
  /// `json::kLookahead` more bytes. It must not be blank, and may hold no control characters except tabs. False to
  /// decline.
  bool read(std::size_t column, const char* begin, const char* end, OperationTable& table);
  /// Sets the cell of a column that is not text.
  void put(std::size_t column, const Token& token);
  /// The row so far, for readers that know more about its types than its text shows.
  [[nodiscard]] OperationTable::Fields& fields() { return fields_; }
  /// Adds the row to the table; a row without fields is ignored.
  bool add(OperationTable& table, std::int32_t line);

  /// Whether a cell contains only white space, and is therefore a missing field; nothing if that is not certain.
  static std::optional<bool> blank(std::string_view cell);

 private:
  bool read_text(std::size_t column, const char* at, const char* end, Token& token);
  bool add_other(OperationTable& table, std::int32_t line) const;

  OperationTable::Fields fields_;
  std::array<Token, kColumns> cells_;  // of each column in its written form: JSON text, a string or a number
  std::size_t lists_ = 0;              // the number of lists before the row
  bool any_ = false;
  JsonValueReader values_;
};

}  // namespace linpoint::histories
