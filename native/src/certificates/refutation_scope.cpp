// SPDX-License-Identifier: Apache-2.0
#include "linpoint/certificates/refutation_scope.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "specs/native_operation.hpp"

namespace linpoint::verdicts {
namespace {

using specs::Code;
using specs::Instruction;
using specs::kAny;

constexpr std::int32_t kAbsent = -2;

/// The effect of an operation on values: which it adds or writes, and which it removes, replaces or observes.
struct Effect {
  std::int32_t makes = kAny;
  std::int32_t needs = kAny;
  bool changes = true;    // if false, it can always be left out
  bool differs = false;   // its result states that a value was not there
  bool anything = false;  // it may have removed any value
};

class Scope {
 public:
  explicit Scope(const specs::Blueprint& blueprint) : blueprint_(blueprint) {}

  /// An operation that replaces a value by itself changes nothing.
  [[nodiscard]] Effect effect(const Instruction& op) const {
    Effect found = plain_effect(op);
    if (found.makes != kAny && found.makes == found.needs) found = {.needs = found.needs, .changes = false};
    return found;
  }

  void include(const Effect& effect) {
    if (effect.makes != kAny) values_.insert(effect.makes);
    if (effect.needs != kAny) values_.insert(effect.needs);
  }

  /// Whether an operation outside the scope could remove the violation inside.
  [[nodiscard]] bool needed(const Effect& effect) const {
    if (!effect.changes) return false;
    if (effect.anything || (effect.makes != kAny && values_.contains(effect.makes))) return true;
    // For a container, an operation that removed a value in the scope; a register only continues from the value.
    return effect.makes == kAny && values_.contains(effect.needs);
  }

 private:
  [[nodiscard]] Effect plain_effect(const Instruction& op) const {
    const bool no = op.want == blueprint_.constants.no;
    const bool yes = op.want == blueprint_.constants.yes;
    const bool null = op.want == blueprint_.constants.null;
    switch (op.code) {
      case Code::kEnqueue:
      case Code::kPush:
      case Code::kPushFront:
        return {.makes = op.first};
      case Code::kDequeue:
      case Code::kPop:
        if (op.want == kAny) return {.anything = true};
        return null ? Effect{.changes = false} : Effect{.needs = op.want};
      case Code::kFront:
      case Code::kTop:
        return {.needs = null ? kAny : op.want, .changes = false};
      case Code::kRead:
        return {.needs = op.want, .changes = false};
      case Code::kWrite:
      case Code::kPut:
        return {.makes = op.first};
      case Code::kSwap:
        return {.makes = op.first, .needs = op.want};
      case Code::kCas:
        return no ? Effect{.changes = false, .differs = true} : Effect{.makes = op.second, .needs = op.first};
      case Code::kGet:
        return {.needs = entry(op.want), .changes = false};
      case Code::kInsert:
        return no ? Effect{.changes = false, .differs = true} : Effect{.makes = op.first, .needs = kAbsent};
      case Code::kCasEntry:
        return no ? Effect{.changes = false, .differs = true} : Effect{.makes = op.second, .needs = entry(op.first)};
      case Code::kDelete:
        return no ? Effect{.needs = kAbsent, .changes = false} : Effect{.makes = kAbsent};
      case Code::kContains:
        return yes ? Effect{.changes = false, .differs = true} : Effect{.needs = kAbsent, .changes = false};
      case Code::kAdd:
      case Code::kRemove:
        return {.makes = op.first, .changes = !no};
      case Code::kHas:
        return {.makes = op.first, .changes = false};
      case Code::kTryAcquire:
        return {.makes = 0, .changes = !no};
      case Code::kReadCount:
        return {.makes = 0, .changes = false};
      default:
        return {.makes = 0};  // locks and counts: there is only one thing
    }
  }

  [[nodiscard]] std::int32_t entry(std::int32_t value) const {
    return value == blueprint_.constants.null ? kAbsent : value;
  }

  const specs::Blueprint& blueprint_;
  std::unordered_set<std::int32_t> values_;
};

/// The time by which all operations of a prefix that must take effect have returned.
struct End {
  std::int64_t time = std::numeric_limits<std::int64_t>::min();
  std::int32_t process = histories::kNone;  // of the operation that returns last; kNone if there are several processes
  bool at_crash = false;                    // operations called at that time come after the crash, and the prefix
                                            // before

  [[nodiscard]] bool before(const histories::Columns& columns, std::size_t op) const {
    if (columns.call[op] != time) return time < columns.call[op];
    return at_crash || (process != histories::kNone && process == columns.process[op]);
  }
};

End end_of(const histories::Columns& columns, std::span<const std::int32_t> scope, std::span<const std::int32_t> open,
           search::Condition condition) {
  End end;
  bool instant = false;  // an operation that returns last was also called at that time
  for (const std::int32_t position : scope) {
    const auto op = static_cast<std::size_t>(position);
    if (!columns.certain(op) || std::binary_search(open.begin(), open.end(), position)) continue;
    if (columns.skewed_return(op) < end.time) continue;
    const bool later = columns.skewed_return(op) > end.time;
    end.process = later || end.process == columns.process[op] ? columns.process[op] : histories::kNone;
    instant = (!later && instant) || columns.call[op] == columns.skewed_return(op);
    end.time = columns.skewed_return(op);
  }
  const auto crash = std::ranges::find(columns.crashes, end.time, &histories::Crash::time);
  end.at_crash = condition != search::Condition::kLinearizable && crash != columns.crashes.end() && !instant;
  return end;
}

}  // namespace

Finding check_start(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, std::span<const std::int32_t> open,
                    search::Condition condition, const specs::Blueprint& blueprint, std::size_t items) {
  const End end = end_of(columns, scope, open, condition);
  std::vector<std::int32_t> start;
  std::ranges::copy_if(positions, std::back_inserter(start), [&](std::int32_t position) {
    return std::binary_search(scope.begin(), scope.end(), position) ||
           !end.before(columns, static_cast<std::size_t>(position));
  });
  return check_scope(columns, start, scope, blueprint, items);
}

Finding check_scope(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, const specs::Blueprint& blueprint, std::size_t items) {
  if (!std::includes(positions.begin(), positions.end(), scope.begin(), scope.end())) return {Flaw::kNotThere};
  if (positions.size() == scope.size()) return {};
  const specs::Compiler compiler(columns, blueprint);
  Scope inside(blueprint);
  const auto effect = [&](std::int32_t position) {
    const auto at = static_cast<std::size_t>(position);
    const auto op = compiler.compile(at, !columns.certain(at));
    return inside.effect(op.value_or(Instruction{}));
  };
  const bool may_be_full = blueprint.capacity && std::cmp_less(*blueprint.capacity, positions.size() + items);
  for (const std::int32_t position : scope) {
    const Effect found = effect(position);
    if (found.differs || may_be_full) return {Flaw::kNeeded, position};
    inside.include(found);
  }
  auto next = scope.begin();
  for (const std::int32_t position : positions) {
    if (next != scope.end() && *next == position)
      ++next;
    else if (inside.needed(effect(position)))
      return {Flaw::kNeeded, position};
  }
  return {};
}

}  // namespace linpoint::verdicts
