// SPDX-License-Identifier: Apache-2.0
// What readers of texts have in common: the text comes in blocks of any size, and what is read goes into a table.
//
// Guarantee: a reader may be fed any bytes. Anything unusual, and everything that is wrong, is declined; then another
// reader has to say what it is. A reader can be dropped between two blocks. Memory: the table, and one block with the
// line, row or form that goes on in the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "linpoint/histories/operation_table.hpp"

namespace linpoint::histories {

class TextReader {
 public:
  /// `expected_bytes` is how much is going to come, as far as is known; it only spares memory.
  explicit TextReader(std::size_t expected_bytes) : expected_bytes_(expected_bytes) {}
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;
  virtual ~TextReader() = default;

  /// Read on. False once anything was declined; then the reader is of no further use.
  bool feed(std::string_view block);
  /// Something else is wrong with the text.
  void decline() { declined_ = true; }
  /// Go on with what another reader has read of the lines that follow, which is empty afterwards.
  bool append(TextReader& other);
  /// The text ends here. False if it was declined, or has nothing that counts.
  bool finish();

  /// What was read.
  [[nodiscard]] OperationTable& table() { return table_; }
  [[nodiscard]] OperationTable take_table() { return std::move(table_); }

 protected:
  /// Read whole lines, behind which there are `json::kLookahead` bytes more. Gives where to go on once there are
  /// further lines, which is the end unless something goes over lines, or null for what is declined. The text may be
  /// changed.
  virtual char* read(char* begin, char* end) = 0;
  /// All has been read; false if that cannot be the end.
  virtual bool close() { return true; }

  /// How many blocks of this size are going to come.
  [[nodiscard]] std::size_t expected_blocks(std::size_t bytes) const;
  /// The line that is being read, counted from 1.
  std::int32_t line_ = 0;

 private:
  bool read_held(std::size_t complete);
  bool flush();
  void reserve(std::string_view lines);

  std::size_t expected_bytes_;
  std::string block_;  // what is not read yet, with room behind it for a scanner that looks ahead
  std::size_t held_ = 0;
  std::size_t wait_for_ = 0;  // held bytes that were tried in vain: only twice as many are worth another try
  bool reserved_ = false;
  bool declined_ = false;
  OperationTable table_;
};

}  // namespace linpoint::histories
