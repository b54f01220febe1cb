// SPDX-License-Identifier: Apache-2.0
#include "linpoint/refine/sequential_system.hpp"

namespace linpoint::refine {

// Of a process: 0 is idle; then called operations, by invocation; then those that have taken effect.

Configuration SequentialSystem::initial() {
  Configuration first(processes_ + 1, 0);
  first[0] = initial_;
  return first;
}

void SequentialSystem::call(const Configuration& from, unsigned process, unsigned invocation,
                            std::vector<Configuration>& out) {
  out.push_back(from);
  out.back()[1 + process] = 1 + invocation;
}

void SequentialSystem::unseen(const Configuration& from, std::vector<Configuration>& out) {
  for (unsigned process = 0; process < processes_; ++process) linearize(from, process, out);
}

void SequentialSystem::linearize(const Configuration& from, unsigned process, std::vector<Configuration>& out) {
  const std::uint32_t status = from[1 + process];
  if (status == 0 || status > invocations_) return;
  for (const auto& [result, state] : outcomes(from[0], process, status - 1)) {
    out.push_back(from);
    out.back()[0] = state;
    out.back()[1 + process] = done(status - 1, result);
  }
}

void SequentialSystem::give_back(const Configuration& from, unsigned process, unsigned result,
                                 const std::vector<Slot>& values, std::vector<Configuration>& out) {
  const std::uint32_t status = from[1 + process];
  if (status <= invocations_) return;
  auto found = allowed_.find({status, result});
  if (found == allowed_.end()) {
    const auto& [invocation, given] = done_[status - invocations_ - 1];
    found = allowed_.emplace(std::pair{status, result}, allows_(invocation, given, values)).first;
  }
  if (!found->second) return;
  out.push_back(from);
  out.back()[1 + process] = 0;
}

Configuration SequentialSystem::swapped(const Configuration& from, unsigned first) {
  Configuration to = from;
  std::swap(to[1 + first], to[2 + first]);
  return to;
}

std::pair<int, int> SequentialSystem::status(std::uint32_t number) const {
  if (number == 0) return {-1, -1};
  if (number <= invocations_) return {static_cast<int>(number) - 1, -1};
  const auto& [invocation, result] = done_[number - invocations_ - 1];
  return {static_cast<int>(invocation), static_cast<int>(result)};
}

const SequentialSystem::Outcomes& SequentialSystem::outcomes(std::uint32_t state, unsigned process,
                                                             unsigned invocation) {
  const std::pair<std::uint64_t, std::uint64_t> key{state,
                                                    std::uint64_t{by_process_ ? process : 0U} << 32U | invocation};
  auto found = known_.find(key);
  if (found == known_.end()) {
    Outcomes made;
    apply_(state, process, invocation, made);
    found = known_.emplace(key, std::move(made)).first;
  }
  return found->second;
}

std::uint32_t SequentialSystem::done(unsigned invocation, std::uint32_t result) {
  const auto [found, is_new] =
      done_numbers_.emplace(std::pair{invocation, result}, static_cast<std::uint32_t>(done_.size()));
  if (is_new) done_.emplace_back(invocation, result);
  return invocations_ + 1 + found->second;
}

}  // namespace linpoint::refine
