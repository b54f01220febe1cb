// SPDX-License-Identifier: Apache-2.0
#include "linpoint/monitors/monitor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "monitors/intervals.hpp"
#include "monitors/register.hpp"
#include "monitors/sets_locks_and_counters.hpp"
#include "monitors/unknown_removals.hpp"
#include "monitors/value_slots.hpp"

namespace linpoint::monitors {
namespace {

using histories::kNone;
using specs::kAny;

class Monitor {
 public:
  Monitor(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
          std::span<const std::int64_t> content, search::StopToken& stop)
      : problem_(problem), blueprint_(blueprint), content_(content), compiler_(columns, blueprint), stop_(stop) {}

  /// Whether an order counts only if it can be replayed.
  [[nodiscard]] bool relaxed() const { return relaxed_; }

  Found decide() {
    const std::string& kind = blueprint_.kind;
    if (kind == "queue" || kind == "stack" || kind == "priority-queue") return container();
    if (kind == "register" || kind == "map") return value();
    if (!std::ranges::all_of(problem_.optional, [](std::uint8_t each) { return each == 0; }))
      if (const std::int32_t op = cut_off(); op != kNone) return Found::excluded(Exclusion::kCutOff, op);
    if (kind == "set" || kind == "mutex") return bits();
    if (kind == "counter" || kind == "fetch-add") return counts();
    return Found::excluded(Exclusion::kKind);
  }

 private:
  [[nodiscard]] bool optional(std::size_t op) const { return problem_.optional[op] != 0; }
  [[nodiscard]] std::int32_t null() const { return blueprint_.constants.null; }
  /// The effect of an operation; kImpossible if it is not supported. Computed on demand: storing a million of them
  /// would take longer than computing them.
  [[nodiscard]] Instruction what(std::size_t op) const {
    return compiler_.compile(at(problem_.position[op]), optional(op)).value_or(Instruction{});
  }
  static std::int32_t number(std::size_t op) { return static_cast<std::int32_t>(op); }

  /// An operation that may be left out, but must not be postponed indefinitely.
  [[nodiscard]] std::int32_t cut_off() const {
    for (std::size_t op = 0; op < problem_.size(); ++op)
      if (optional(op) && problem_.ret[op] != histories::kNever) return number(op);
    return kNone;
  }

  [[nodiscard]] Found container() const {
    const bool counted = blueprint_.capacity && std::cmp_less(*blueprint_.capacity, problem_.size() + content_.size());
    if (counted) return Found::excluded(Exclusion::kCapacity);
    Handlings input;
    const auto first = static_cast<std::int32_t>(content_.size());
    const std::vector<Interval> owns = intervals_of(problem_, first, input.gaps);
    input.all.reserve(problem_.size() + content_.size());
    for (std::int32_t i = 0; i < first; ++i) {
      const auto value = static_cast<std::int32_t>(content_[at(i)]);
      if (value == null()) return Found::excluded(Exclusion::kNull);
      input.all.push_back({Role::kAdd, false, kNone, value, {i, i}});
    }
    for (std::size_t op = 0; op < problem_.size(); ++op)
      if (const Exclusion why = handle(op, owns[op], input); why != Exclusion::kNone)
        return Found::excluded(why, number(op));
    if (blueprint_.kind == "queue") return decide_handlings(input, true, decide_queue, stop_);
    if (blueprint_.kind == "stack")
      return decide_handlings(
          input, false, [this](const Contents& contents) { return decide_stack(contents, stop_); }, stop_);
    const std::span<const std::int64_t> priorities = blueprint_.integers;
    return decide_handlings(
        input, false, [priorities](const Contents& contents) { return decide_priority_queue(contents, priorities); },
        stop_);
  }

  [[nodiscard]] Exclusion handle(std::size_t op, const Interval& owns, Handlings& input) const {
    const Instruction what = this->what(op);
    const bool removes = what.code == Code::kDequeue || what.code == Code::kPop;
    if (what.code == Code::kEnqueue || what.code == Code::kPush) {
      if (what.first == null()) return Exclusion::kNull;
      // An unbounded queue always accepts.
      if (what.want != kAny && what.want != blueprint_.constants.yes) return Exclusion::kResult;
      input.all.push_back({Role::kAdd, optional(op), number(op), what.first, owns});
      return Exclusion::kNone;
    }
    if (!removes && what.code != Code::kFront && what.code != Code::kTop) return Exclusion::kResult;
    if (optional(op)) {  // an uncertain observation shows nothing
      if (removes) input.unknown.push_back({number(op), owns});
    } else if (what.want == null()) {
      input.empties.push_back({number(op), owns});
    } else {
      input.all.push_back({removes ? Role::kRemove : Role::kObserve, false, number(op), what.want, owns});
    }
    return Exclusion::kNone;
  }

  [[nodiscard]] Found value() {
    std::int32_t gaps = 0;
    const std::vector<Interval> owns = intervals_of(problem_, 0, gaps);
    std::vector<Access> accesses;
    accesses.reserve(problem_.size());
    const AccessReader reader(blueprint_);
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      Access access{Act::kRead, optional(op), number(op), kNone, kNone, owns[op]};
      const Instruction what = this->what(op);
      relaxed_ = relaxed_ || what.code == Code::kDelete;
      if (const Exclusion why = reader.read(what, access); why != Exclusion::kNone)
        return Found::excluded(why, number(op));
      if (changes(access) || !access.optional) accesses.push_back(access);
    }
    const std::int32_t initial = content_.empty() ? kAbsent : static_cast<std::int32_t>(content_[0]);
    if (reader.entry() && initial == null()) return Found::excluded(Exclusion::kNull);
    return decide_register(accesses, initial, gaps);
  }

  [[nodiscard]] Found bits() const {
    const bool set = blueprint_.kind == "set";
    std::vector<std::int32_t> elements(problem_.size());
    for (std::size_t op = 0; op < problem_.size(); ++op) elements[op] = what(op).first;
    Slots slots(elements, [](std::int32_t element) { return element; });
    std::vector<bool> on;
    std::vector<std::int64_t> inside(content_.begin(), content_.end());
    std::sort(inside.begin(), inside.end());
    const auto bit = [&](std::int32_t element) {
      std::int32_t& slot = slots[element];
      if (slot == kNone) {
        slot = static_cast<std::int32_t>(on.size());
        on.push_back(set ? std::binary_search(inside.begin(), inside.end(), element) : content_[0] != 0);
      }
      return slot;
    };
    std::vector<BitOperation> operations;
    operations.reserve(problem_.size());
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      const Instruction what = this->what(op);
      if (what.code == Code::kHas && optional(op)) continue;
      const std::optional<Touch> touch = touch_of(what, optional(op));
      if (!touch) return Found::excluded(Exclusion::kResult, number(op));
      operations.push_back({number(op), bit(what.first), *touch, optional(op)});
    }
    return decide_bits(problem_, operations, std::move(on));
  }

  /// The effect of an operation on a bit; none if it was not observed.
  [[nodiscard]] std::optional<Touch> touch_of(const Instruction& what, bool optional) const {
    const bool no = what.want == blueprint_.constants.no;
    const bool observed = no || what.want == blueprint_.constants.yes || optional;
    switch (what.code) {
      case Code::kAcquire:
        return Touch::kTurnsOn;
      case Code::kRelease:
        return Touch::kTurnsOff;
      case Code::kAdd:
      case Code::kTryAcquire:
        return observed ? std::optional(no ? Touch::kSawOn : Touch::kTurnsOn) : std::nullopt;
      case Code::kRemove:
        return observed ? std::optional(no ? Touch::kSawOff : Touch::kTurnsOff) : std::nullopt;
      case Code::kHas:
        return observed ? std::optional(no ? Touch::kSawOff : Touch::kSawOn) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] Found counts() const {
    std::int64_t step = 0;
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      const Instruction what = this->what(op);
      if (what.code == Code::kReadCount) continue;
      if (what.code != Code::kCount && what.code != Code::kFetchAdd)
        return Found::excluded(Exclusion::kResult, number(op));
      if (what.amount == 0 || (step != 0 && what.amount != step))
        return Found::excluded(Exclusion::kAmounts, number(op));
      step = what.amount;
    }
    if (step == 0) step = 1;
    std::vector<CountOperation> operations;
    operations.reserve(problem_.size());
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      const Instruction what = this->what(op);
      const bool reads = what.code == Code::kReadCount;
      if (reads && optional(op)) continue;
      CountOperation each{number(op), optional(op), reads, 0};
      if (what.want != kAny && (reads || what.code == Code::kFetchAdd)) {
        // Very large numbers are as wrong as others, and clamping avoids overflow.
        constexpr std::int64_t kFar = 2'305'843'009'213'693'952;  // 2^61
        const std::int64_t steps = std::clamp(what.wanted, -kFar, kFar) - content_[0];
        if (steps % step != 0) return Found::excluded(Exclusion::kResult, number(op));
        each.value = steps / step;
      }
      operations.push_back(each);
    }
    return blueprint_.kind == "counter" ? decide_counter(problem_, operations) : decide_fetch_add(problem_, operations);
  }

  const search::Problem& problem_;
  const specs::Blueprint& blueprint_;
  std::span<const std::int64_t> content_;
  specs::Compiler compiler_;
  search::StopToken& stop_;
  bool relaxed_ = false;
};

}  // namespace

Outcome decide(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
               std::span<const std::int64_t> content, search::StopToken& stop) {
  Outcome outcome;
  Monitor monitor(columns, problem, blueprint, content, stop);
  Found found = monitor.decide();
  outcome.relaxed = monitor.relaxed();
  const auto positions = [&](std::vector<std::int32_t>& operations) {
    for (std::int32_t& each : operations) each = problem.position[at(each)];
    return std::move(operations);
  };
  outcome.status = found.status;
  outcome.order = positions(found.order);
  outcome.reason = found.refuted.reason;
  outcome.evidence = positions(found.refuted.evidence);
  outcome.scope = positions(found.refuted.scope);
  std::sort(outcome.scope.begin(), outcome.scope.end());
  outcome.exclusion = found.exclusion;
  outcome.culprit = found.culprit == kNone ? kNone : problem.position[at(found.culprit)];
  return outcome;
}

}  // namespace linpoint::monitors
