// SPDX-License-Identifier: Apache-2.0
#include "monitors/unknown_removals.hpp"

#include <algorithm>
#include <unordered_map>

namespace linpoint::monitors {
namespace {

using histories::kNone;

/// So many handlings are looked at in all before it is given up, and so many choices at least.
constexpr std::size_t kMostWork = 50'000'000;
constexpr std::size_t kLeastChoices = 200;

class Choices {
 public:
  Choices(Handlings& input, const DecideContents& decide, search::StopToken& stop)
      : input_(input), decide_(decide), stop_(stop), used_(input.unknown.size()) {
    choices_left_ = std::max(kLeastChoices, kMostWork / (input.all.size() + 1));
  }

  Found decide() {
    Found found = once();
    if (found.status != Status::kViolation || input_.unknown.empty()) return found;
    Refuted root = found.refuted;
    const Found answer = repair(std::move(found));
    if (answer.status != Status::kViolation) return answer;
    // What was tried in vain belongs to the evidence.
    root.scope = std::move(scope_);
    for (const Observation& each : input_.unknown) root.scope.push_back(each.op);
    std::sort(root.scope.begin(), root.scope.end());
    root.scope.erase(std::unique(root.scope.begin(), root.scope.end()), root.scope.end());
    return Found::violation(std::move(root));
  }

 private:
  Found once() const {
    Contents contents;
    auto early = contents.read(input_.all, input_.empties, input_.gaps);
    Found found = early ? std::move(*early) : decide_(contents);
    if (found.status == Status::kViolation && contents.guessed()) return Found::excluded(Exclusion::kDuplicate);
    return found;
  }

  /// Gives unknown removals to values of a violation, one by one, until there is none or nothing is left to try.
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

  /// The adds among the operations of a violation whose values nobody removed.
  [[nodiscard]] std::vector<Handling> not_removed(const Refuted& refuted) const {
    std::vector<std::int32_t> scope = refuted.scope;
    std::sort(scope.begin(), scope.end());
    std::unordered_map<std::int32_t, Handling> adds;
    std::vector<std::int32_t> removed;
    for (const Handling& each : input_.all) {
      // A value of the first content has no operation; whether it is part of the violation is not known.
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

Found decide_handlings(Handlings& input, const DecideContents& decide, search::StopToken& stop) {
  if (!input.unknown.empty()) {
    // With duplicates nobody can tell which of them an unknown removal would have to remove.
    std::vector<std::int32_t> added;
    for (const Handling& each : input.all)
      if (each.role == Role::kAdd) added.push_back(each.value);
    std::sort(added.begin(), added.end());
    if (std::adjacent_find(added.begin(), added.end()) != added.end())
      return Found::excluded(Exclusion::kUnknownRemovals, input.unknown.front().op);
  }
  return Choices(input, decide, stop).decide();
}

}  // namespace linpoint::monitors
