// SPDX-License-Identifier: Apache-2.0
// Collects operations one by one from a reader and makes columns of them.
//
// Guarantee: accepted input has the same meaning as in the Python readers. Anything unusual, and everything invalid, is
// declined; the caller then leaves the input to those readers, which report what is wrong. Values other than null,
// true, false, 64-bit integers, strings and lists of those are kept as JSON text, for the caller to decode once each;
// so are keys that are lists. Entries that are not operations (crashes, annotations) are kept as JSON text with their
// line. Cost: no more memory than the columns, the distinct values and one block of the text.
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

/// One operation as numbers, as in the text.
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

  /// The fields of one operation as in the text. For `kArguments` and `kTimes` only the kind counts.
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

  // For readers.

  /// `operations` is the expected number of operations, an estimate that only saves reallocations.
  void reserve(std::size_t operations);
  /// Adds one operation; false if it is declined.
  bool add(Fields& fields, std::int32_t line);
  /// Adds an entry that is not an operation, as the JSON text of an object.
  void add_other(std::int32_t line, std::string text) { others_.emplace_back(line, std::move(text)); }
  [[nodiscard]] ValueStore& store() { return store_; }
  /// Appends the operations of another table, whose lines follow `lines` lines of this one. False: too many.
  bool append(OperationTable& other, std::int32_t lines);
  /// Ends the table. False if it is empty, or if times cannot be compared as integers.
  bool finish();

  // For users of the table.

  /// Moves out the columns of the operations, without crashes.
  [[nodiscard]] Columns take_columns() { return std::move(columns_); }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] const Interner& values() const { return store_.values; }
  [[nodiscard]] const Interner& names() const { return names_; }
  [[nodiscard]] const Interner& processes() const { return processes_; }
  /// Entries that are not operations, with their lines.
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::string>>& others() const { return others_; }
  /// Whether any time is a float. Then all times in the columns are integers that only preserve the order.
  [[nodiscard]] bool fractional() const { return !fractions_.empty(); }
  /// Whether any operation has clock readings in addition to its times.
  [[nodiscard]] bool clocked() const { return !clocks_.empty(); }
  /// Any other time as the columns would represent it, if they can.
  [[nodiscard]] std::optional<std::int64_t> instant(const Time& time) const;
  /// One operation of the columns that were moved out.
  [[nodiscard]] Row row(const Columns& columns, std::size_t position) const;

 private:
  static constexpr std::size_t kMostOperations = std::numeric_limits<std::int32_t>::max();

  /// The readings at a call and a return: integers, or the bits of floats.
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
  // Integers that wait for their numbers, so that the memory of several can be fetched together.
  struct Waiting {
    std::vector<std::int32_t>* column;
    std::size_t position;
    std::int64_t integer;
  };
  std::vector<Waiting> waiting_;
  LineNumbers lines_;
  std::vector<std::int32_t> unreturned_;  // failed operations without a return, which the columns do not distinguish
  // Which times are floats, one bit for the call and one for the return; ends at the last float, empty if there is
  // none.
  std::vector<std::uint8_t> fractions_;
  std::vector<Clocks> clocks_;  // ends at the last reading, empty if there is none
  std::vector<std::pair<std::int32_t, std::string>> others_;
};

}  // namespace linpoint::histories
