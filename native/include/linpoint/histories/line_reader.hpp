// SPDX-License-Identifier: Apache-2.0
// Operation lines, read straight into columns: one JSON object a line, in blocks of any size.
//
// Guarantee: what is accepted is what the reader in Python accepts, with the same meaning; anything unusual, and
// everything that is wrong, is declined, and the caller lets that reader say what it is. Values other than null, true,
// false, integers of 64 bits, strings without escapes and lists of those are kept as JSON text, for the caller to
// decode once each; keys that are lists, too. Lines without an "op" (crashes, annotations) are kept whole. Cost: about
// 0.2 microseconds a line, and no more memory than the columns, the distinct values and one block.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/list_reader.hpp"

namespace linpoint::histories {

/// A value as it stands in a line. Characters are those of the block and do not outlive it.
struct Token {
  enum class Kind : std::uint8_t { kMissing, kNull, kTrue, kFalse, kInteger, kString, kJson, kList };

  Kind kind = Kind::kMissing;
  std::int64_t integer = 0;  // of a list its number
  std::string_view text;     // of a string without its quotes, of any other JSON all of it

  [[nodiscard]] bool absent() const { return kind == Kind::kMissing || kind == Kind::kNull; }
};

using Time = std::variant<std::int64_t, double>;

/// One operation as numbers, as the line had it.
struct Row {
  std::int32_t process;
  std::int32_t name;
  std::vector<std::int32_t> arguments;
  std::int32_t result;
  Time call;
  std::optional<Time> ret;
  Outcome outcome;
  std::int32_t key;
  std::optional<std::int64_t> hint;
  std::int32_t line;
};

class LineReader {
 public:
  /// The numbers of null, true and false among the values.
  static constexpr std::int32_t kNull = ListReader::kNull;
  static constexpr std::int32_t kTrue = ListReader::kTrue;
  static constexpr std::int32_t kFalse = ListReader::kFalse;

  /// `expected_bytes` is how much is going to come, as far as is known; it only spares memory.
  explicit LineReader(std::size_t expected_bytes = 0) : expected_bytes_(expected_bytes) {}

  /// Read on. False once anything was declined; then the reader is of no further use.
  bool feed(std::string_view block);
  /// Something else is wrong with the text.
  void decline() { declined_ = true; }
  /// Go on with what another reader has read of the lines that follow. Neither may stand within a line.
  bool append(LineReader& other);
  /// The text ends here. False if it was declined, or has no line that says anything.
  bool finish();

  /// The columns of the operations, without crashes; they are the caller's from now on.
  [[nodiscard]] Columns take_columns() { return std::move(columns_); }

  [[nodiscard]] const Interner& values() const { return values_; }
  [[nodiscard]] const Interner& names() const { return names_; }
  [[nodiscard]] const Interner& processes() const { return processes_; }
  /// The lines that are no operations, with their numbers.
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::string>>& others() const { return others_; }
  /// Whether any time is a float. Then all times of the columns are integers that only compare alike.
  [[nodiscard]] bool fractional() const { return !fractions_.empty(); }
  /// Any other time as the columns would have it, if they could.
  [[nodiscard]] std::optional<std::int64_t> instant(const Time& time) const;
  /// One operation of the columns that were taken.
  [[nodiscard]] Row row(const Columns& columns, std::size_t position) const;

 private:
  enum Field : std::uint8_t { kProcess, kOp, kArguments, kResult, kCall, kReturn, kOutcome, kKey, kOrder, kUnknown };
  static constexpr std::size_t kFields = kUnknown;
  static constexpr std::size_t kMostOperations = std::numeric_limits<std::int32_t>::max();
  struct Line;

  // Each takes where something begins and gives where it ends, or null for what is declined.
  const char* read_line(const char* begin);
  const char* read_field(const char* at, Field field, Line& line);
  const char* read_arguments(const char* at);
  const char* read_value(const char* at, Token& token);
  static const char* skip_unknown(const char* at, Line& line);

  static Field field_named(std::uint64_t text, Field expected);
  bool read(const char* begin, const char* end);
  bool flush();
  void reserve(std::string_view lines);
  static std::optional<Outcome> understood(Line& line);
  bool keep(Line& line);
  void put(std::vector<std::int32_t>& column, const Token& token);
  void settle();
  bool order_times();

  std::size_t expected_bytes_;
  std::string block_;  // what is not read yet, with room behind it for a scanner that looks ahead
  std::size_t held_ = 0;
  std::int32_t line_ = 0;
  bool declined_ = false;
  Columns columns_;
  Interner values_{3};
  Interner names_{0};
  Interner processes_{0};
  ListReader lists_;
  // What followed each field in the line before, where the same is looked for first; after kUnknown also the first.
  std::array<Field, kFields + 1> next_{};
  // Integers that wait for their numbers, so that the memory of several is fetched at once.
  struct Waiting {
    std::vector<std::int32_t>* column;
    std::size_t position;
    std::int64_t integer;
  };
  std::vector<Waiting> waiting_;
  std::vector<Token> arguments_;          // of the line that is being read
  std::vector<std::int32_t> lines_;       // of the operations
  std::vector<std::int32_t> unreturned_;  // failed operations without a return, which columns do not tell apart
  // Which times are floats, a bit for the call and one for the return; empty where none is, short after the last.
  std::vector<std::uint8_t> fractions_;
  std::vector<std::pair<std::int32_t, std::string>> others_;
};

}  // namespace linpoint::histories
