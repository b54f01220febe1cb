// SPDX-License-Identifier: Apache-2.0
// Operations as a reader finds them, one after the other, made into columns.
//
// Guarantee: what is taken is what the readers in Python take, with the same meaning; anything unusual, and everything
// that is wrong, is declined, and the caller lets those say what it is. Values other than null, true, false, integers
// of 64 bits, strings and lists of those are kept as JSON text, for the caller to decode once each; keys that are
// lists, too. What is no operation (crashes, annotations) is kept as JSON text with its line. Cost: no more memory than
// the columns, the distinct values and one block of the text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/line_numbers.hpp"
#include "linpoint/histories/token.hpp"
#include "linpoint/histories/value_store.hpp"

namespace linpoint::histories {

using Time = std::variant<std::int64_t, double>;

/// One operation as numbers, as the text had it.
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
  bool clocked;
  std::optional<Time> call_clock;
  std::optional<Time> return_clock;
  std::int32_t line;
};

class OperationTable {
 public:
  enum Field : std::uint8_t { kProcess, kOp, kArguments, kResult, kCall, kReturn, kOutcome, kKey, kOrder, kTimes };
  static constexpr std::size_t kFields = kTimes + 1;

  /// The fields of one operation as they stand in a text. Of `kArguments` and `kTimes` only the kind counts.
  struct Fields {
    std::array<Token, kFields> tokens;
    std::vector<Token> arguments;
    ClockReadings clocks;

    void clear() {
      tokens.fill(Token());
      arguments.clear();
      clocks.given = false;
    }
    Token& operator[](Field field) { return tokens[field]; }
    const Token& operator[](Field field) const { return tokens[field]; }
  };

  // What a reader does.

  /// So many operations are going to come; it only spares memory.
  void reserve(std::size_t operations);
  /// Adds one operation; false if it is declined.
  bool add(Fields& fields, std::int32_t line);
  /// Adds what is no operation, as the JSON text of an object.
  void add_other(std::int32_t line, std::string text) { others_.emplace_back(line, std::move(text)); }
  [[nodiscard]] ValueStore& store() { return store_; }
  /// Goes on with the operations of another table, whose lines follow `lines` lines of this one. False: too many.
  bool append(OperationTable& other, std::int32_t lines);
  /// No operation follows. False if there is nothing, or times that cannot be compared as integers.
  bool finish();

  // What is asked of the result.

  /// The columns of the operations, without crashes; they are the caller's from now on.
  [[nodiscard]] Columns take_columns() { return std::move(columns_); }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] const Interner& values() const { return store_.values; }
  [[nodiscard]] const Interner& names() const { return names_; }
  [[nodiscard]] const Interner& processes() const { return processes_; }
  /// What is no operation, with the lines.
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::string>>& others() const { return others_; }
  /// Whether any time is a float. Then all times of the columns are integers that only compare alike.
  [[nodiscard]] bool fractional() const { return !fractions_.empty(); }
  /// Whether any operation has clock readings beside its times.
  [[nodiscard]] bool clocked() const { return !clocks_.empty(); }
  /// Any other time as the columns would have it, if they could.
  [[nodiscard]] std::optional<std::int64_t> instant(const Time& time) const;
  /// One operation of the columns that were taken.
  [[nodiscard]] Row row(const Columns& columns, std::size_t position) const;

 private:
  static constexpr std::size_t kMostOperations = std::numeric_limits<std::int32_t>::max();

  /// A call's reading and a return's: integers, or the bits of floats.
  struct Clocks {
    std::int64_t call = 0;
    std::int64_t ret = 0;
    std::uint8_t call_kind = 0;
    std::uint8_t return_kind = 0;
    bool given = false;
  };

  void put(std::vector<std::int32_t>& column, const Token& token);
  bool put_clocks(const ClockReadings& readings);
  void settle();
  bool order_times();

  Columns columns_;
  ValueStore store_;
  Interner names_{0};
  Interner processes_{0};
  // Integers that wait for their numbers, so that the memory of several is fetched at once.
  struct Waiting {
    std::vector<std::int32_t>* column;
    std::size_t position;
    std::int64_t integer;
  };
  std::vector<Waiting> waiting_;
  LineNumbers lines_;
  std::vector<std::int32_t> unreturned_;  // failed operations without a return, which columns do not tell apart
  // Which times are floats, a bit for the call and one for the return; empty where none is, short after the last.
  std::vector<std::uint8_t> fractions_;
  std::vector<Clocks> clocks_;  // empty where there are none, short after the last
  std::vector<std::pair<std::int32_t, std::string>> others_;
};

}  // namespace linpoint::histories
