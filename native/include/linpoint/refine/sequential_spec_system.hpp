// SPDX-License-Identifier: Apache-2.0
// A sequential spec as a transition system: the spec's state, and for each process whether its operation was called,
// has taken effect (with which result), or is over. Each step of the spec is computed once and remembered.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "linpoint/refine/allowed_configuration_sets.hpp"

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
  void call(const std::uint32_t* from, unsigned process, unsigned invocation, Configurations& out) override;
  void unseen(const std::uint32_t* from, Configurations& out) override;
  void linearize(const std::uint32_t* from, unsigned process, Configurations& out) override;
  void give_back(const std::uint32_t* from, unsigned process, unsigned result, const std::vector<Slot>& values,
                 Configurations& out) override;
  bool is_done(const std::uint32_t* from, unsigned process) override { return from[1 + process] > invocations_; }
  void swap(const std::uint32_t* from, unsigned first, Configurations& out) override;
  // The effect of an operation depends on the spec's state alone, not on which operations have returned. Only a spec
  // that depends on the process can distinguish processes.
  [[nodiscard]] bool stays_closed() const override { return !by_process_; }

  /// For explanations. For a process in a configuration: its invocation, or -1 if it is idle; and the number of its
  /// result, or -1 if its operation has not taken effect.
  [[nodiscard]] std::pair<int, int> status(std::uint32_t number) const;

 private:
  /// The possible effects of an operation in a state: the new status of the process, and the state after it.
  using Effects = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  const Effects& effects(std::uint32_t state, unsigned process, unsigned invocation);
  std::uint32_t done(unsigned invocation, std::uint32_t result);

  unsigned processes_;
  unsigned invocations_;
  std::uint32_t initial_;
  bool by_process_;
  Apply apply_;
  Allows allows_;
  // By state, then process if it matters, then invocation: the index of its effects, plus 1; 0 if not computed yet.
  std::vector<std::uint32_t> known_;
  std::deque<Effects> effects_;
  std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> done_numbers_;
  std::vector<std::pair<unsigned, std::uint32_t>> done_;
  std::map<std::pair<std::uint32_t, unsigned>, bool> allowed_;
};

}  // namespace linpoint::refine
