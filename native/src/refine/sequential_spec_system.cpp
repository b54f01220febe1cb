// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/sequential_spec_system.hpp"

#include <algorithm>

namespace linpoint::refine {

// For each process: 0 is idle; then called operations, by invocation; then those that have taken effect.

Configuration SequentialSystem::initial() {
  Configuration first(processes_ + 1, 0);
  first[0] = initial_;
  return first;
}

void SequentialSystem::call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) {
  out.add(from)[1 + process] = 1 + invocation;
}

void SequentialSystem::unseen(const std::uint32_t* from, Configurations& out) {
  for (unsigned process = 0; process < processes_; ++process) linearize(from, process, out);
}

void SequentialSystem::linearize(const std::uint32_t* from, unsigned process, Configurations& out) {
  const std::uint32_t status = from[1 + process];
  if (status == 0 || status > invocations_) return;
  for (const auto& [after, state] : effects(from[0], process, status - 1)) {
    std::uint32_t* const made = out.add(from);
    made[0] = state;
    made[1 + process] = after;
  }
}

void SequentialSystem::give_back(const std::uint32_t* from, unsigned process, unsigned result,
                                 const std::vector<Slot>& values, Configurations& out) {
  const std::uint32_t status = from[1 + process];
  if (status <= invocations_) return;
  auto found = allowed_.find({status, result});
  if (found == allowed_.end()) {
    const auto& [invocation, given] = done_[status - invocations_ - 1];
    found = allowed_.emplace(std::pair{status, result}, allows_(invocation, given, values)).first;
  }
  if (found->second) out.add(from)[1 + process] = 0;
}

void SequentialSystem::swap(const std::uint32_t* from, unsigned first, Configurations& out) {
  std::uint32_t* const made = out.add(from);
  std::swap(made[1 + first], made[2 + first]);
}

std::pair<int, int> SequentialSystem::status(std::uint32_t number) const {
  if (number == 0) return {-1, -1};
  if (number <= invocations_) return {static_cast<int>(number) - 1, -1};
  const auto& [invocation, result] = done_[number - invocations_ - 1];
  return {static_cast<int>(invocation), static_cast<int>(result)};
}

const SequentialSystem::Effects& SequentialSystem::effects(std::uint32_t state, unsigned process, unsigned invocation) {
  const std::size_t who = by_process_ ? process : 0;
  const std::size_t at = (state * std::size_t{by_process_ ? processes_ : 1} + who) * invocations_ + invocation;
  if (at >= known_.size()) known_.resize(std::max(at + 1, known_.size() * 2));
  if (known_[at] == 0) {
    Outcomes given;
    apply_(state, process, invocation, given);
    Effects& made = effects_.emplace_back();
    for (const auto& [result, after] : given) made.emplace_back(done(invocation, result), after);
    known_[at] = static_cast<std::uint32_t>(effects_.size());
  }
  return effects_[known_[at] - 1];
}

std::uint32_t SequentialSystem::done(unsigned invocation, std::uint32_t result) {
  const auto [found, is_new] =
      done_numbers_.emplace(std::pair{invocation, result}, static_cast<std::uint32_t>(done_.size()));
  if (is_new) done_.emplace_back(invocation, result);
  return invocations_ + 1 + found->second;
}

}  // namespace linpoint::refine
