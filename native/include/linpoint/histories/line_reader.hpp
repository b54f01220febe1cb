// SPDX-License-Identifier: Apache-2.0
// Operation lines, read straight into columns: one JSON object a line, in blocks of any size.
//
// Guarantee: what is accepted is what the reader in Python accepts, with the same meaning; anything unusual, and
// everything that is wrong, is declined, and the caller lets that reader say what it is. Values other than null, true,
// false, integers of 64 bits and strings without escapes are kept as JSON text, for the caller to decode once each.
// Lines without an "op" (crashes, annotations) are kept whole. Cost: about 0.1 microseconds a line, and no more memory
// than the columns, the distinct values and one block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linpoint/histories/columns.hpp"
#include "linpoint/histories/interner.hpp"

namespace linpoint::histories {

/// A value as it stands in a line. Characters are those of the block and do not outlive it.
struct Token {
  enum class Kind : std::uint8_t { kMissing, kNull, kTrue, kFalse, kInteger, kString, kJson };

  Kind kind = Kind::kMissing;
  std::int64_t integer = 0;
  std::string_view text;  // of a string without its quotes, of any other JSON all of it

  [[nodiscard]] bool absent() const { return kind == Kind::kMissing || kind == Kind::kNull; }
};

/// One operation as numbers, as the line had it.
struct Row {
  std::int32_t process;
  std::int32_t name;
  std::vector<std::int32_t> arguments;
  std::int32_t result;
  std::int64_t call;
  std::optional<std::int64_t> ret;
  Outcome outcome;
  std::int32_t key;
  std::optional<std::int64_t> hint;
  std::int32_t line;
};

class LineReader {
 public:
  /// The numbers of null, true and false among the values.
  static constexpr std::int32_t kNull = 0;
  static constexpr std::int32_t kTrue = 1;
  static constexpr std::int32_t kFalse = 2;

  /// `expected_bytes` is how much is going to come, as far as is known; it only spares memory.
  explicit LineReader(std::size_t expected_bytes = 0) : expected_bytes_(expected_bytes) {}

  /// Read on. False once anything was declined; then the reader is of no further use.
  bool feed(std::string_view block);
  /// The text ends here. False if it was declined, or has no line that says anything.
  bool finish();

  /// The columns of the operations, without crashes; they are the caller's from now on.
  [[nodiscard]] Columns take_columns() { return std::move(columns_); }

  [[nodiscard]] const Interner& values() const { return values_; }
  [[nodiscard]] const Interner& names() const { return names_; }
  [[nodiscard]] const Interner& processes() const { return processes_; }
  /// The lines that are no operations, with their numbers.
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::string>>& others() const { return others_; }
  /// One operation of the columns that were taken.
  [[nodiscard]] Row row(const Columns& columns, std::size_t position) const;

 private:
  enum Field : std::uint8_t { kProcess, kOp, kArguments, kResult, kCall, kReturn, kOutcome, kKey, kOrder, kUnknown };
  static constexpr std::size_t kFields = kUnknown;
  struct Line;

  // Each takes where something begins and gives where it ends, or null for what is declined.
  const char* read_line(const char* begin);
  const char* read_field(const char* at, Field field, Line& line);
  const char* read_arguments(const char* at);
  static const char* skip_unknown(const char* at, Line& line);

  static Field field_named(std::uint64_t text, Field expected);
  bool read(const char* begin, const char* end);
  void reserve(std::string_view lines);
  static std::optional<Outcome> understood(const Line& line);
  bool keep(const Line& line);
  std::int32_t number(const Token& token);

  std::size_t expected_bytes_;
  std::string block_;  // what is not read yet, with room behind it for a scanner that looks ahead
  std::size_t held_ = 0;
  std::int32_t line_ = 0;
  bool declined_ = false;
  Columns columns_;
  Interner values_{3};
  Interner names_{0};
  Interner processes_{0};
  // What followed each field in the line before, where the same is looked for first; after kUnknown also the first.
  std::array<Field, kFields + 1> next_{};
  std::vector<Token> arguments_;          // of the line that is being read
  std::vector<std::int32_t> lines_;       // of the operations
  std::vector<std::int32_t> unreturned_;  // failed operations without a return, which columns do not tell apart
  std::vector<std::pair<std::int32_t, std::string>> others_;
};

}  // namespace linpoint::histories
