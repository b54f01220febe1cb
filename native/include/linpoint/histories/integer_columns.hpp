// SPDX-License-Identifier: Apache-2.0
// A history as integers: one entry per operation in each column. Names, values, keys and processes are interned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace linpoint::histories {

/// The return time of an operation that never returned.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
/// The order hint of an operation without one.
inline constexpr std::int64_t kNoHint = std::numeric_limits<std::int64_t>::min();
/// The key of an operation without one, and the process of a crash of everything.
inline constexpr std::int32_t kNone = -1;
/// The process of a crash of the object alone.
inline constexpr std::int32_t kObject = -2;

/// Work on more operations than this is worth a separate thread.
inline constexpr std::size_t kWorthAThread = 100'000;

enum class Outcome : std::uint8_t { kOk = 0, kFailed = 1, kUnknown = 2 };

struct Crash {
  std::int64_t time;
  std::int64_t begin;  // the time minus the clock skew
  std::int64_t end;    // the time plus the clock skew
  std::int32_t process;

  /// Whether the crash stops a process, which then never returns from its open operation.
  [[nodiscard]] bool covers(std::int32_t other) const { return process == kNone || process == other; }
  [[nodiscard]] bool of_everything() const { return process == kNone; }
  [[nodiscard]] bool of_object() const { return process == kObject; }
  /// Whether the object crashed, alone or with everything.
  [[nodiscard]] bool ends_era() const { return of_everything() || of_object(); }
};

/// Lists and objects in their written form; equal ones do not share a number yet. Each is a run of tokens: a header
/// with its number of items (`list_of` or `object_of`), then the items, each the number of a value or the beginning of
/// another run. An object of n entries has 2n items, the name of each entry before its value.
struct Lists {
  std::vector<std::int64_t> first;  // offsets into tokens, one more than there are lists
  std::vector<std::int32_t> tokens;

  static constexpr std::int32_t kFirst = -2;
  static constexpr std::int32_t kFirstObject = std::numeric_limits<std::int32_t>::min() / 2;
  [[nodiscard]] static constexpr std::int32_t list_of(std::int32_t items) { return kFirst - items; }
  [[nodiscard]] static constexpr std::int32_t object_of(std::int32_t entries) { return kFirstObject - entries; }
  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> operator[](std::size_t list) const {
    const auto begin = static_cast<std::size_t>(first[list]);
    return std::span(tokens).subspan(begin, static_cast<std::size_t>(first[list + 1]) - begin);
  }
};

struct Columns {
  std::vector<std::int32_t> process;
  std::vector<std::int64_t> call;
  std::vector<std::int64_t> ret;
  std::vector<std::int64_t> end;  // the return plus the clock skew; empty if no clocks differ
  std::vector<std::uint8_t> outcome;
  std::vector<std::int32_t> key;
  std::vector<std::int32_t> name;
  std::vector<std::int32_t> result;
  std::vector<std::int32_t> first_argument;  // offsets into arguments, one more than there are operations
  std::vector<std::int32_t> arguments;
  std::vector<std::int64_t> hint;  // empty if no operation has one
  std::vector<Crash> crashes;      // by time
  /// In `result` and `arguments`, the number Lists::kFirst - i stands for list i. Null: there are no lists.
  std::shared_ptr<const Lists> lists;
  bool skewed = false;

  [[nodiscard]] std::size_t size() const { return call.size(); }
  [[nodiscard]] std::int64_t skewed_return(std::size_t op) const { return end.empty() ? ret[op] : end[op]; }
  [[nodiscard]] bool certain(std::size_t op) const { return outcome[op] == static_cast<std::uint8_t>(Outcome::kOk); }
  [[nodiscard]] bool failed(std::size_t op) const { return outcome[op] == static_cast<std::uint8_t>(Outcome::kFailed); }
  [[nodiscard]] std::span<const std::int32_t> arguments_of(std::size_t op) const {
    const auto first = static_cast<std::size_t>(first_argument[op]);
    return std::span(arguments).subspan(first, static_cast<std::size_t>(first_argument[op + 1]) - first);
  }
};

}  // namespace linpoint::histories
