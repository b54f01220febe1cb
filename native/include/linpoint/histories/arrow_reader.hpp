// SPDX-License-Identifier: Apache-2.0
// Batches of an Arrow table, read straight from their buffers into a table of operations.
//
// Guarantee: the same meaning as `parquet_arrow.py` gives to each type of column, or the batch is declined: text holds
// what the cells of a CSV table hold; other types stand for themselves, instants and durations as nanoseconds; within
// lists and structs text is text. Cost: about 0.2 microseconds a row.
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
  /// So many rows are going to come, as far as is known; it only spares memory.
  explicit ArrowReader(std::size_t expected_rows) { table_.reserve(expected_rows); }

  /// Reads a batch, an array of structs, in which the members have these `TableRow` columns. False once anything was
  /// declined; then the reader is of no further use. The arrays stay the caller's.
  bool add(const ArrowSchema& schema, const ArrowArray& batch, std::span<const std::int32_t> columns);
  /// No batch follows. False if there is nothing that counts.
  bool finish() { return table_.finish(); }

  /// What was read.
  [[nodiscard]] OperationTable& table() { return table_; }
  [[nodiscard]] OperationTable take_table() { return std::move(table_); }

 private:
  // Each declines by false.
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
  // Texts of the row's cells that need room of their own; those beyond the first `texts_used_` are of another row.
  std::deque<std::string> texts_;
  std::size_t texts_used_ = 0;
  std::int32_t line_ = 0;
};

}  // namespace linpoint::histories
