// SPDX-License-Identifier: Apache-2.0
#include "graphs/explanation_choices.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::graphs {

using histories::kNone;

namespace {

constexpr std::int64_t kMostDecisions = 100'000;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

void Chooser::declare(std::int32_t operation, std::int32_t options, std::int32_t preferred) {
  if (!variable_.try_emplace(operation, variables_.size()).second) return;
  Variable fresh{.operation = operation, .preferred = preferred, .left = options, .forbidden = {}, .in = {}};
  fresh.forbidden.resize(at(options));
  fresh.in.resize(at(options));
  variables_.push_back(std::move(fresh));
  binary_ = binary_ && options <= 2;
}

void Chooser::forbid(const std::vector<Literal>& literals) {
  for (const Literal& each : literals)
    variables_[variable_.at(each.operation)].in[at(each.option)].push_back(nogoods_.size());
  binary_ = binary_ && literals.size() <= 2;
  nogoods_.push_back(literals);
}

bool Chooser::set(std::size_t variable, std::int32_t option) {
  Variable& mine = variables_[variable];
  if (mine.choice != kNone) return mine.choice == option;
  if (mine.forbidden[at(option)] != 0) return false;
  mine.choice = option;
  trail_.push_back({variable, kNone});
  units_.push_back(variable);
  return true;
}

bool Chooser::exclude(std::size_t variable, std::int32_t option) {
  Variable& mine = variables_[variable];
  if (mine.choice == option) return false;
  if (mine.forbidden[at(option)] != 0) return true;
  mine.forbidden[at(option)] = 1;
  trail_.push_back({variable, option});
  --mine.left;
  if (mine.left == 0) return false;
  if (mine.left > 1 || mine.choice != kNone) return true;
  return set(variable, candidates(mine).front());
}

/// Excludes the last literal of a nogood whose others were all chosen. False: all of them were chosen.
bool Chooser::check(std::size_t nogood) {
  const Literal* open = nullptr;
  for (const Literal& each : nogoods_[nogood]) {
    const Variable& mine = variables_[variable_.at(each.operation)];
    if (mine.choice == each.option) continue;
    if (mine.choice != kNone || mine.forbidden[at(each.option)] != 0) return true;
    if (open != nullptr) return true;
    open = &each;
  }
  return open != nullptr && exclude(variable_.at(open->operation), open->option);
}

bool Chooser::propagate() {
  while (!units_.empty()) {
    const std::size_t variable = units_.back();
    units_.pop_back();
    const Variable& mine = variables_[variable];
    for (const std::size_t nogood : mine.in[at(mine.choice)])
      if (!check(nogood)) return false;
  }
  return true;
}

void Chooser::undo(std::size_t size) {
  units_.clear();
  while (trail_.size() > size) {
    Variable& mine = variables_[trail_.back().variable];
    if (trail_.back().option == kNone) {
      mine.choice = kNone;
    } else {
      mine.forbidden[at(trail_.back().option)] = 0;
      ++mine.left;
    }
    trail_.pop_back();
  }
}

std::vector<std::int32_t> Chooser::candidates(const Variable& variable) {
  std::vector<std::int32_t> open;
  for (std::int32_t option = 0; at(option) < variable.forbidden.size(); ++option)
    if (variable.forbidden[at(option)] == 0) open.push_back(option);
  const auto preferred = std::find(open.begin(), open.end(), variable.preferred);
  if (preferred != open.end()) std::rotate(open.begin(), preferred, preferred + 1);
  return open;
}

std::size_t Chooser::next(std::size_t from) const {
  while (from < variables_.size() && variables_[from].choice != kNone) ++from;
  return from;
}

Chooser::Answer Chooser::solve(search::StopToken& stop) {
  undo(0);
  for (std::size_t nogood = 0; nogood < nogoods_.size(); ++nogood)
    if (!check(nogood) || !propagate()) return Answer::kImpossible;
  struct Decision {
    std::size_t variable;
    std::vector<std::int32_t> untried;  // the next one is the last
    std::size_t trail;
  };
  std::vector<Decision> decisions;
  const auto decide = [&](std::size_t variable) {
    auto untried = candidates(variables_[variable]);
    std::reverse(untried.begin(), untried.end());
    decisions.push_back({variable, std::move(untried), trail_.size()});
  };
  std::int64_t made = 0;
  std::size_t open = next(0);
  if (open == variables_.size()) return Answer::kFound;
  decide(open);
  while (!decisions.empty()) {
    Decision& last = decisions.back();
    undo(last.trail);
    if (last.untried.empty()) {
      decisions.pop_back();
      continue;
    }
    const std::int32_t option = last.untried.back();
    last.untried.pop_back();
    if (++made > kMostDecisions || stop.poll()) return Answer::kTooMany;
    if (!set(last.variable, option) || !propagate()) continue;
    open = next(last.variable + 1);
    if (open == variables_.size()) return Answer::kFound;
    if (binary_) decisions.clear();  // the rest does not depend on these choices
    decide(open);
  }
  return Answer::kImpossible;
}

}  // namespace linpoint::graphs
