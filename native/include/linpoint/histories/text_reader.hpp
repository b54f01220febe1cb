// SPDX-License-Identifier: Apache-2.0
// The common part of text readers: the text comes in blocks of any size, and its operations go into a table.
//
// Guarantee: a reader accepts any bytes. Anything unusual, and everything invalid, is declined; another reader then has
// to report what is wrong. A reader can be discarded between two blocks. Memory: the table, and one block with the
// line, row or form that continues in the next block.
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
  /// `expected_bytes` is an estimate of the total size that only saves reallocations.
  explicit TextReader(std::size_t expected_bytes) : expected_bytes_(expected_bytes) {}
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;
  virtual ~TextReader() = default;

  /// Reads the next block. False if anything was declined; the reader is unusable afterwards.
  bool feed(std::string_view block);
  /// Declines the text because of an error elsewhere.
  void decline() { declined_ = true; }
  /// Appends what another reader has read of the lines that follow; that reader is empty afterwards.
  bool append(TextReader& other);
  /// Ends the text. False if it was declined or has no entries.
  bool finish();

  /// The operations read so far.
  [[nodiscard]] OperationTable& table() { return table_; }
  [[nodiscard]] OperationTable take_table() { return std::move(table_); }

 protected:
  /// Reads whole lines, which are followed by `json::kLookahead` more bytes. Returns where to continue once there are
  /// further lines (the end, unless an item spans lines), or null to decline. May modify the text.
  virtual char* read(char* begin, char* end) = 0;
  /// Called after everything was read; false if the text cannot end here.
  virtual bool close() { return true; }

  /// The expected number of blocks of this size.
  [[nodiscard]] std::size_t expected_blocks(std::size_t bytes) const;
  /// The line that is being read, counted from 1.
  std::int32_t line_ = 0;

 private:
  bool read_held(std::size_t complete);
  bool flush();
  void reserve(std::string_view lines);

  std::size_t expected_bytes_;
  std::string block_;  // unread text, followed by room for a scanner that looks ahead
  std::size_t held_ = 0;
  std::size_t wait_for_ = 0;  // number of held bytes that were tried in vain: another try needs twice as many
  bool reserved_ = false;
  bool declined_ = false;
  OperationTable table_;
};

}  // namespace linpoint::histories
