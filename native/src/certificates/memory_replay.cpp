// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "linpoint/certificates/memory_evidence.hpp"
#include "specs/memory_operations.hpp"

namespace linpoint::verdicts {
namespace {

using specs::Cell;
using specs::Effect;

/// A memory of words that executes one operation after the other.
class PlainWords {
 public:
  explicit PlainWords(std::span<const std::int64_t> content) : initial_(static_cast<std::int32_t>(content[0])) {
    for (std::size_t i = 1; i + 1 < content.size(); i += 2)
      word(static_cast<std::int32_t>(content[i])) = static_cast<std::int32_t>(content[i + 1]);
  }

  /// False if the operation is not legal now, or would have returned a different result.
  bool take(Effect effect, std::span<const Cell> cells) {
    const bool match = effect == Effect::kMaySwap || effect == Effect::kWrites || matches(cells);
    switch (effect) {
      case Effect::kNothing:
        return true;
      case Effect::kSees:
        return match;
      case Effect::kFails:
        return !match;
      case Effect::kReplaces:
        if (match) set(cells);
        return match;
      case Effect::kMayReplace:
      case Effect::kUnobserved:
      case Effect::kMaySwap:
      case Effect::kWrites:
        if (match) set(cells);
        return true;
      case Effect::kImpossible:
      case Effect::kUnclear:
        break;
    }
    return false;
  }

 private:
  std::int32_t& word(std::int32_t number) {
    const auto place = static_cast<std::size_t>(number);
    if (place >= words_.size()) words_.resize(2 * place + 1, initial_);
    return words_[place];
  }
  bool matches(std::span<const Cell> cells) {
    return std::all_of(cells.begin(), cells.end(), [&](const Cell& each) { return word(each.word) == each.seen; });
  }
  void set(std::span<const Cell> cells) {
    for (const Cell& each : cells) word(each.word) = each.fresh;
  }

  std::int32_t initial_;
  std::vector<std::int32_t> words_;
};

}  // namespace

Finding check_words(const histories::Columns& columns, std::span<const std::int32_t> order,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content) {
  PlainWords words(content);
  const specs::Words reader(columns, blueprint);
  std::vector<Cell> cells;
  for (const std::int32_t position : order) {
    const Effect effect = reader.read(static_cast<std::size_t>(position), cells);
    if (!words.take(effect, cells)) return {Flaw::kRejected, position};
  }
  return {};
}

}  // namespace linpoint::verdicts
