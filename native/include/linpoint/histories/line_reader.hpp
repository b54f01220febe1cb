// SPDX-License-Identifier: Apache-2.0
// Operation lines, read directly into a table: one JSON object per line.
//
// Guarantee: that of `text_reader.hpp` and `operation_table.hpp`. Lines without an "op" (crashes, annotations) are kept
// whole. Cost: about 0.2 microseconds per line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "linpoint/histories/json_value_reader.hpp"
#include "linpoint/histories/operation_table.hpp"
#include "linpoint/histories/text_reader.hpp"

namespace linpoint::histories {

class LineReader final : public TextReader {
 public:
  explicit LineReader(std::size_t expected_bytes = 0) : TextReader(expected_bytes) { next_.fill(kUnknown); }

 private:
  using Field = OperationTable::Field;
  static constexpr Field kUnknown = static_cast<Field>(OperationTable::kFields);

  char* read(char* begin, char* end) override;

  // Each takes the position where an item begins and returns where it ends, or null to decline it.
  const char* read_line(const char* begin);
  const char* read_field(const char* at, Field field);
  const char* skip_unknown(const char* at);

  static Field field_named(std::uint64_t text, Field expected);

  JsonValueReader values_;
  OperationTable::Fields fields_;  // of the line that is being read
  bool other_ = false;             // it has a field of lines without an operation
  // The field that followed each field in the previous line, which is tried first; after kUnknown also the first field.
  std::array<Field, OperationTable::kFields + 1> next_{};
};

}  // namespace linpoint::histories
