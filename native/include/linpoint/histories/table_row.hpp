// SPDX-License-Identifier: Apache-2.0
// A row of a table of text cells, as CSV has them: JSON, and in some columns plain text too. It becomes an operation.
//
// Guarantee: the same meaning as the readers in Python give to a cell, or the row is declined. Text in a column that
// allows it is plain if it is certain that it is not JSON.
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
  /// The columns, as numbers: the fields of an operation, then those of what is none.
  enum Column : std::uint8_t { kCrash = OperationTable::kFields, kAnnotation, kTime, kUntil, kColumns };

  void clear(OperationTable& table);
  /// The cell of a column that has not come yet. Where it ends there must be '\n', which may be written over it, and
  /// `json::kLookahead` bytes more. It must not be blank, and may hold no control characters but tabs. False for what
  /// is declined.
  bool read(std::size_t column, const char* begin, const char* end, OperationTable& table);
  /// The cell of a column that is no text.
  void put(std::size_t column, const Token& token);
  /// What the row has so far, for readers that know more of its types than its text says.
  [[nodiscard]] OperationTable::Fields& fields() { return fields_; }
  /// Adds what the row holds to the table; a row without fields is nothing.
  bool add(OperationTable& table, std::int32_t line);

  /// Whether there is nothing but white space in a cell, which is a missing field; nothing if that is not certain.
  static std::optional<bool> blank(std::string_view cell);

 private:
  bool read_text(std::size_t column, const char* at, const char* end, Token& token);
  bool add_other(OperationTable& table, std::int32_t line) const;

  OperationTable::Fields fields_;
  std::array<Token, kColumns> cells_;  // of each column as it stands there: JSON text, a string or a number
  std::size_t lists_ = 0;              // how many there were before the row
  bool any_ = false;
  JsonValueReader values_;
};

}  // namespace linpoint::histories
