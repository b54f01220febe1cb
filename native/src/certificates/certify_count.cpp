// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/certify_count.hpp"

#include <algorithm>
#include <limits>

#include "specs/native_operation.hpp"

namespace linpoint::verdicts {
namespace {

using histories::Columns;
using monitors::Reason;
using specs::Code;
using specs::Instruction;

class Counting {
 public:
  Counting(const Columns& columns, std::span<const std::int32_t> positions, const specs::Blueprint& blueprint,
           std::int64_t initial)
      : columns_(columns), positions_(positions), compiler_(columns, blueprint), initial_(initial) {}

  bool holds(std::span<const std::int32_t> evidence, Reason reason) {
    if (evidence.empty() || !equal_steps()) return false;
    for (const std::int32_t position : evidence)
      if (!columns_.certain(at(position)) || count_of(position) == kNoCount) return false;
    const std::int32_t last = evidence.back();
    switch (reason) {
      case Reason::kCountTooLow:
        return evidence.size() == 1 ? too_low(last) : evidence.size() == 2 && too_low(last, evidence.front());
      case Reason::kCountTooHigh:
        return evidence.size() == 1 && too_high(last);
      case Reason::kSameCount:
        return evidence.size() == 2 && gives() && evidence.front() != last &&
               count_of(evidence.front()) == count_of(last);
      case Reason::kCountsInverted:
        return evidence.size() == 2 && gives() && count_of(evidence.front()) < count_of(last) &&
               precedes(last, evidence.front());
      default:
        return false;
    }
  }

 private:
  static std::size_t at(std::int32_t position) { return static_cast<std::size_t>(position); }

  [[nodiscard]] Instruction instruction(std::int32_t position) const {
    return compiler_.compile(at(position), !columns_.certain(at(position))).value_or(Instruction{});
  }
  [[nodiscard]] static bool steps(const Instruction& op) {
    return op.code == Code::kCount || op.code == Code::kFetchAdd;
  }
  /// Whether every operation is given a count, so that no reads exist apart from steps.
  [[nodiscard]] bool gives() const { return instruction(positions_.front()).code == Code::kFetchAdd; }

  /// Whether all steps are equal; the arguments depend on it.
  bool equal_steps() {
    step_ = 0;
    for (const std::int32_t position : positions_) {
      const Instruction op = instruction(position);
      if (!steps(op)) continue;
      if (op.amount == 0 || (step_ != 0 && op.amount != step_)) return false;
      step_ = op.amount;
    }
    if (step_ == 0) step_ = 1;
    return true;
  }

  static constexpr std::int64_t kNoCount = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kFar = 2'305'843'009'213'693'952;  // 2^61: all numbers beyond it are equally wrong

  /// The number of steps that an operation observed before it; kNoCount if that is not an integer.
  [[nodiscard]] std::int64_t count_of(std::int32_t position) const {
    const Instruction op = instruction(position);
    if (op.want == specs::kAny || (op.code != Code::kReadCount && op.code != Code::kFetchAdd)) return kNoCount;
    const std::int64_t moved = std::clamp(op.wanted, -kFar, kFar) - initial_;
    return moved % step_ == 0 ? moved / step_ : kNoCount;
  }

  /// Whether one operation certainly took effect before another; a conservative answer where times touch.
  [[nodiscard]] bool precedes(std::int32_t first, std::int32_t second) const {
    if (!columns_.certain(at(first))) return false;
    const std::int64_t end = columns_.skewed_return(at(first));
    if (end < columns_.call[at(second)]) return true;
    return columns_.process[at(first)] == columns_.process[at(second)] &&
           columns_.ret[at(first)] <= columns_.call[at(second)] && columns_.call[at(first)] < columns_.call[at(second)];
  }

  [[nodiscard]] bool too_low(std::int32_t read) const {
    std::int64_t least = 0;
    for (const std::int32_t each : positions_)
      if (each != read && steps(instruction(each)) && precedes(each, read)) ++least;
    return count_of(read) < least;
  }

  [[nodiscard]] bool too_low(std::int32_t read, std::int32_t earlier) const {
    if (!precedes(earlier, read)) return false;
    std::int64_t least = count_of(earlier);
    for (const std::int32_t each : positions_)
      if (steps(instruction(each)) && precedes(earlier, each) && precedes(each, read)) ++least;
    return count_of(read) < least;
  }

  [[nodiscard]] bool too_high(std::int32_t seen) const {
    const std::int64_t count = count_of(seen);
    const bool given = gives();
    std::int64_t most = 0;
    for (const std::int32_t each : positions_) {
      if (each == seen || !steps(instruction(each)) || precedes(seen, each)) continue;
      // Operations that were given at least as much came later.
      if (!given || !columns_.certain(at(each)) || count_of(each) < count) ++most;
    }
    return count > most;
  }

  const Columns& columns_;
  std::span<const std::int32_t> positions_;
  specs::Compiler compiler_;
  std::int64_t initial_;
  std::int64_t step_ = 1;
};

}  // namespace

bool check_count(const Columns& columns, std::span<const std::int32_t> positions,
                 std::span<const std::int32_t> evidence, Reason reason, const specs::Blueprint& blueprint,
                 std::int64_t initial) {
  return Counting(columns, positions, blueprint, initial).holds(evidence, reason);
}

}  // namespace linpoint::verdicts
