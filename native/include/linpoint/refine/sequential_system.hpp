// SPDX-License-Identifier: Apache-2.0
// A sequential spec as a transition system: its state, and of each process whether its operation was called, has taken
// effect (with which result), or is over. Steps of the spec are asked for once and remembered.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "linpoint/refine/spec_sets.hpp"

namespace linpoint::refine {

class SequentialSystem final : public System {
 public:
  using Outcomes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  /// (state, process, invocation) -> results and states, as numbers.
  using Apply = std::function<void(std::uint32_t, unsigned, unsigned, Outcomes&)>;
  /// Whether the spec's result explains the one that an operation returned: (invocation, result, values).
  using Allows = std::function<bool(unsigned, std::uint32_t, const std::vector<Slot>&)>;

  SequentialSystem(unsigned processes, unsigned invocations, std::uint32_t initial, bool by_process, Apply apply,
                   Allows allows)
      : processes_(processes),
        invocations_(invocations),
        initial_(initial),
        by_process_(by_process),
        apply_(std::move(apply)),
        allows_(std::move(allows)) {}

  Configuration initial() override;
  void call(const Configuration& from, unsigned process, unsigned invocation, std::vector<Configuration>& out) override;
  void unseen(const Configuration& from, std::vector<Configuration>& out) override;
  void linearize(const Configuration& from, unsigned process, std::vector<Configuration>& out) override;
  void give_back(const Configuration& from, unsigned process, unsigned result, const std::vector<Slot>& values,
                 std::vector<Configuration>& out) override;
  bool is_done(const Configuration& from, unsigned process) override { return from[1 + process] > invocations_; }
  Configuration swapped(const Configuration& from, unsigned first) override;

  /// For whoever tells. Of a process in a configuration: its invocation, or -1 if it is idle; and the number of its
  /// result, or -1 if its operation has not taken effect.
  [[nodiscard]] std::pair<int, int> status(std::uint32_t number) const;

 private:
  const Outcomes& outcomes(std::uint32_t state, unsigned process, unsigned invocation);
  std::uint32_t done(unsigned invocation, std::uint32_t result);

  unsigned processes_;
  unsigned invocations_;
  std::uint32_t initial_;
  bool by_process_;
  Apply apply_;
  Allows allows_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Outcomes> known_;
  std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> done_numbers_;
  std::vector<std::pair<unsigned, std::uint32_t>> done_;
  std::map<std::pair<std::uint32_t, unsigned>, bool> allowed_;
};

}  // namespace linpoint::refine
