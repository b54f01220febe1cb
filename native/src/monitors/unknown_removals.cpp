// SPDX-License-Identifier: Apache-2.0
#include "monitors/unknown_removals.hpp"

#include <algorithm>
#include <unordered_map>

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// Maximum number of operations visited in total, and minimum number of choices tried, before giving up.
constexpr std::size_t kMostWork = 50'000'000;
constexpr std::size_t kLeastChoices = 200;

class Choices {
 public:
  Choices(Handlings& input, const DecideContents& decide, search::StopToken& stop)
      : input_(input), decide_(decide), stop_(stop), used_(input.unknown.size()) {
    choices_left_ = std::max(kLeastChoices, kMostWork / (input.all.size() + 1));
  }

  Found decide(bool by_deadlines) {
    Found found = once();
    if (found.status != Status::kViolation || input_.unknown.empty()) return found;
    if (by_deadlines && found.refuted.reason == Reason::kOrderInverted) return with_unknown(assign(std::move(found)));
    Refuted root = found.refuted;
    Found answer = repair(std::move(found));
    if (answer.status != Status::kViolation) return answer;
    // Choices tried without success belong to the evidence.
    root.scope = std::move(scope_);
    return with_unknown(Found::violation(std::move(root)));
  }

 private:
  [[nodiscard]] Found once() const {
    Contents contents;
    auto early = contents.read(input_.all, input_.empties, input_.gaps);
    Found found = early ? std::move(*early) : decide_(contents);
    if (found.status == Status::kViolation && contents.guessed()) return Found::excluded(Exclusion::kDuplicate);
    return found;
  }

  /// A violation with all unknown removals among its operations, since they could not remove it.
  [[nodiscard]] Found with_unknown(Found found) const {
    if (found.status != Status::kViolation) return found;
    std::vector<std::int32_t>& scope = found.refuted.scope;
    for (const Observation& each : input_.unknown) scope.push_back(each.op);
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    return found;
  }

  /// Assigns unknown removals to the values that must be removed, by their deadlines.
  Found assign(Found violation) {
    Contents contents;
    if (contents.read(input_.all, input_.empties, input_.gaps)) return violation;
    const std::vector<Value>& values = contents.values();
    struct Due {
      std::int32_t deadline;
      std::int32_t value;
      std::int32_t because;  // the value that is removed at the deadline
    };
    std::vector<std::int32_t> removed;
    std::vector<std::int32_t> kept;
    for (std::size_t i = 0; i < values.size(); ++i)
      (values[i].removal == kNone ? kept : removed).push_back(static_cast<std::int32_t>(i));
    const auto value = [&](std::int32_t i) -> const Value& { return values[at(i)]; };
    std::sort(removed.begin(), removed.end(),
              [&](std::int32_t a, std::int32_t b) { return value(a).added.first > value(b).added.first; });
    std::sort(kept.begin(), kept.end(),
              [&](std::int32_t a, std::int32_t b) { return value(a).added.last > value(b).added.last; });
    std::vector<Due> dues;
    std::size_t next = 0;
    std::int32_t first = kNone;  // among those added entirely after: the one removed first
    for (const std::int32_t each : kept) {
      for (; next < removed.size() && value(each).added.precedes(value(removed[next]).added); ++next)
        if (first == kNone || value(removed[next]).removed.last < value(first).removed.last) first = removed[next];
      if (first != kNone) dues.push_back({value(first).removed.last, each, first});
    }
    std::sort(dues.begin(), dues.end(), [](const Due& a, const Due& b) {
      return a.deadline != b.deadline ? a.deadline < b.deadline : a.value < b.value;
    });
    std::vector<Observation> unknown = input_.unknown;
    std::sort(unknown.begin(), unknown.end(), [](const Observation& a, const Observation& b) {
      return a.owns.first != b.owns.first ? a.owns.first < b.owns.first : a.op < b.op;
    });
    std::vector<std::int32_t> due;
    const std::size_t before = input_.all.size();
    for (std::size_t k = 0; k < dues.size(); ++k) {
      due.insert(due.end(), {dues[k].value, dues[k].because});
      if (k < unknown.size() && unknown[k].owns.first <= dues[k].deadline) {
        input_.all.push_back({Role::kRemove, false, unknown[k].op, value(dues[k].value).number, unknown[k].owns});
        continue;
      }
      std::vector<std::int32_t> evidence;
      contents.tell(dues[k].value, evidence);
      contents.tell(dues[k].because, evidence);
      input_.all.resize(before);
      return contents.refuted(Reason::kOrderInverted, std::move(evidence), due);
    }
    return once();
  }

  /// Assigns unknown removals to values of a violation, one by one, until there is none or nothing is left to try.
  Found repair(Found violation) {
    scope_.insert(scope_.end(), violation.refuted.scope.begin(), violation.refuted.scope.end());
    for (const Handling& add : not_removed(violation.refuted)) {
      for (std::size_t i = 0; i < input_.unknown.size(); ++i) {
        const Observation& unknown = input_.unknown[i];
        if (used_[i] || unknown.owns.precedes(add.owns)) continue;
        if (choices_left_-- == 0 || stop_.poll()) return Found::excluded(Exclusion::kUnknownRemovals, unknown.op);
        used_[i] = true;
        input_.all.push_back({Role::kRemove, false, unknown.op, add.value, unknown.owns});
        Found found = once();
        if (found.status == Status::kViolation) found = repair(std::move(found));
        input_.all.pop_back();
        used_[i] = false;
        if (found.status != Status::kViolation) return found;
      }
    }
    return violation;
  }

  /// The adds among the operations of a violation whose values no operation removed.
  [[nodiscard]] std::vector<Handling> not_removed(const Refuted& refuted) const {
    std::vector<std::int32_t> scope = refuted.scope;
    std::sort(scope.begin(), scope.end());
    std::unordered_map<std::int32_t, Handling> adds;
    std::vector<std::int32_t> removed;
    for (const Handling& each : input_.all) {
      // An initial value has no operation; whether it is part of the violation is not known.
      const bool inside = each.op == kNone || std::binary_search(scope.begin(), scope.end(), each.op);
      if (!inside) continue;
      if (each.role == Role::kAdd) adds.emplace(each.value, each);
      if (each.role == Role::kRemove) removed.push_back(each.value);
    }
    for (const std::int32_t value : removed) adds.erase(value);
    std::vector<Handling> result;
    result.reserve(adds.size());
    for (const auto& [value, add] : adds) result.push_back(add);
    std::sort(result.begin(), result.end(), [](const Handling& a, const Handling& b) { return a.value < b.value; });
    return result;
  }

  Handlings& input_;
  const DecideContents& decide_;
  search::StopToken& stop_;
  std::vector<bool> used_;
  std::vector<std::int32_t> scope_;
  std::size_t choices_left_;
};

}  // namespace

Found decide_handlings(Handlings& input, bool first_in_first_out, const DecideContents& decide,
                       search::StopToken& stop) {
  if (!input.unknown.empty()) {
    std::vector<std::int32_t> added;
    bool looks = !input.empties.empty();
    for (const Handling& each : input.all) {
      if (each.role == Role::kAdd) added.push_back(each.value);
      looks = looks || each.role == Role::kObserve;
    }
    std::sort(added.begin(), added.end());
    if (std::adjacent_find(added.begin(), added.end()) != added.end()) {
      // With duplicates it is unknown which of them was removed; perhaps none had to be.
      const std::int32_t culprit = input.unknown.front().op;
      Handlings certain{input.all, input.empties, {}, input.gaps};
      const Found found = Choices(certain, decide, stop).decide(false);
      return found.status == Status::kLinearizable ? found : Found::excluded(Exclusion::kUnknownRemovals, culprit);
    }
    const bool open_ended =
        std::ranges::all_of(input.unknown, [&](const Observation& each) { return each.owns.last == input.gaps - 1; });
    first_in_first_out = first_in_first_out && !looks && open_ended;
  }
  return Choices(input, decide, stop).decide(first_in_first_out);
}

}  // namespace linpoint::monitors
