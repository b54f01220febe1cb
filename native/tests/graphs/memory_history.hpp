// SPDX-License-Identifier: Apache-2.0
// Histories of a memory of words, whose operations are written with their cells.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "linpoint/graphs/precedence.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/specs/machine_values.hpp"

namespace linpoint::tests {

/// Numbers of values behind the constants: "at", and then words and what they hold.
inline constexpr std::int32_t kAtValue = 3;
inline constexpr std::int32_t kX = 4;
inline constexpr std::int32_t kY = 5;
/// The value of all words at first; others come behind it.
inline constexpr std::int32_t kZero = 10;

using Cells = std::vector<std::array<std::int32_t, 3>>;

class WordsHistory {
 public:
  enum Name : std::int32_t { kRead, kMwcas, kMwswap, kMwwrite };

  /// When an operation was called and when it returned; kNever: nobody knows.
  struct Times {
    std::int32_t process = 0;
    std::int64_t call = 0;
    std::int64_t ret = 0;
  };

  std::int32_t read(Times times, const std::vector<std::array<std::int32_t, 2>>& seen) {
    std::vector<std::int32_t> words;
    std::vector<std::int32_t> values;
    for (const auto& [word, value] : seen) {
      words.push_back(word);
      values.push_back(value);
    }
    return add(times, kRead, flat(words), flat(values));
  }
  std::int32_t cas(Times times, const Cells& cells, std::int32_t result) {
    return add(times, kMwcas, triples(cells), result);
  }
  std::int32_t fails_at(Times times, const Cells& cells, std::int32_t word) {
    return add(times, kMwcas, triples(cells), list({Lists::object_of(1), kAtValue, word}));
  }
  std::int32_t swap(Times times, std::int32_t word, std::int32_t fresh, std::int32_t old) {
    return add(times, kMwswap, list({Lists::list_of(1), Lists::list_of(2), word, fresh}), flat({old}));
  }
  std::int32_t crash(std::int64_t time, std::int32_t process = kNone) {
    crashes_.push_back({time, process});
    return static_cast<std::int32_t>(crashes_.size()) - 1;
  }

  [[nodiscard]] Columns columns() const {
    Columns columns = columns_of(ops_, crashes_);
    columns.lists = std::make_shared<const Lists>(lists_);
    return columns;
  }
  static specs::Blueprint blueprint() {
    return {.kind = "mwcas",
            .names = {"read", "mwcas", "mwswap", "mwwrite"},
            .constants = {kNull, kYes, kNo},
            .capacity = std::nullopt,
            .integers = {},
            .strings = {},
            .at = kAtValue};
  }

 private:
  using Lists = histories::Lists;

  std::int32_t list(const std::vector<std::int32_t>& tokens) {
    if (lists_.first.empty()) lists_.first.push_back(0);
    lists_.tokens.insert(lists_.tokens.end(), tokens.begin(), tokens.end());
    lists_.first.push_back(static_cast<std::int64_t>(lists_.tokens.size()));
    return Lists::kFirst - static_cast<std::int32_t>(lists_.size() - 1);
  }
  std::int32_t flat(std::vector<std::int32_t> items) {
    items.insert(items.begin(), Lists::list_of(static_cast<std::int32_t>(items.size())));
    return list(items);
  }
  std::int32_t triples(const Cells& cells) {
    std::vector<std::int32_t> tokens{Lists::list_of(static_cast<std::int32_t>(cells.size()))};
    for (const auto& [word, old, fresh] : cells) tokens.insert(tokens.end(), {Lists::list_of(3), word, old, fresh});
    return list(tokens);
  }
  std::int32_t add(Times times, Name name, std::int32_t argument, std::int32_t result) {
    const Outcome outcome = times.ret == kNever ? Outcome::kUnknown : Outcome::kOk;
    ops_.push_back({times.process, times.call, times.ret, outcome, name, {argument}, result});
    return static_cast<std::int32_t>(ops_.size()) - 1;
  }

  std::vector<Op> ops_;
  std::vector<CrashOf> crashes_;
  Lists lists_;
};

/// A history as a question, which must not outlive it.
struct Asked {
  explicit Asked(const WordsHistory& history, search::Condition given = search::Condition::kLinearizable)
      : columns(history.columns()), positions(everything(columns)), condition(given) {}

  [[nodiscard]] graphs::Question question() const { return {columns, positions, condition, blueprint, content}; }
  [[nodiscard]] graphs::Outcome decided(graphs::Rules rules = graphs::Rules::kCorrected) const {
    search::StopToken stop;
    return graphs::decide(question(), stop, rules, false);
  }

  Columns columns;
  std::vector<std::int32_t> positions;
  search::Condition condition;
  specs::Blueprint blueprint = WordsHistory::blueprint();
  std::vector<std::int64_t> content{kZero};
};

}  // namespace linpoint::tests
