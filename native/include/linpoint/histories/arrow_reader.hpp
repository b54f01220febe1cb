// SPDX-License-Identifier: Apache-2.0
// Batches of an Arrow table, read directly from their buffers into a table of operations.
//
// Guarantee: gives each type of column the same meaning as `parquet_arrow.py`, or declines the batch. Text holds what
// the cells of a CSV table hold; other types stand for themselves, instants and durations in nanoseconds; text within
// lists and structs is plain text. Cost: about 0.2 microseconds per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linpoint/histories/arrow_data.hpp"
#include "linpoint/histories/distinct_names.hpp"
#include "linpoint/histories/operation_table.hpp"
#include "linpoint/histories/table_row.hpp"

namespace linpoint::histories {

class ArrowColumn;

class ArrowReader {
 public:
  /// `expected_rows` is an estimate that only saves reallocations.
  explicit ArrowReader(std::size_t expected_rows) { table_.reserve(expected_rows); }

  /// Reads a batch, an array of structs whose members belong to these `TableRow` columns. False if anything was
  /// declined; the reader is unusable afterwards. The caller keeps ownership of the arrays.
  bool add(const ArrowSchema& schema, const ArrowArray& batch, std::span<const std::int32_t> columns);
  /// Ends the table. False if it has no operations or other entries.
  bool finish() { return table_.finish(); }

  /// The operations read so far.
  [[nodiscard]] OperationTable& table() { return table_; }
  [[nodiscard]] OperationTable take_table() { return std::move(table_); }

 private:
  // Each returns false to decline.
  bool read(std::size_t column, const ArrowColumn& cells, std::size_t row);
  bool read_text(std::size_t column, std::string_view text);
  bool read_typed(std::size_t column, const ArrowColumn& values, std::size_t at);
  bool read_scalar(const ArrowColumn& values, std::size_t at, Token& token);
  bool read_arguments(const ArrowColumn& values, std::size_t at);
  bool read_clocks(const ArrowColumn& values, std::size_t at);
  bool read_list(const ArrowColumn& values, std::size_t at, Token& token);
  bool put_value(const ArrowColumn& values, std::size_t at, int depth);
  bool put_members(const ArrowColumn& values, std::size_t at, int depth);
  bool put_cell(const ArrowColumn& cells, std::size_t row, int depth);
  std::string& room();

  OperationTable table_;
  TableRow row_;
  DistinctNames names_;
  // Texts of the row's cells that need their own storage; those after the first `texts_used_` belong to another row.
  std::deque<std::string> texts_;
  std::size_t texts_used_ = 0;
  std::int32_t line_ = 0;
};

}  // namespace linpoint::histories
