// SPDX-License-Identifier: Apache-2.0
// Converts runs of representative states to runs of actual states.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "linpoint/refine/step_details.hpp"
#include "refine/canonical_state.hpp"
#include "refine/state_store.hpp"

namespace linpoint::refine {

/// Follows a run of representative states in actual states.
class Follower {
 public:
  Follower(const Program& program, SpecSets* sets, const StateStore& store)
      : program_(program), sets_(sets), store_(store), packing_(program), canonical_(program, sets) {
    state_ = first_state(program, sets);
    settle(state_, 0);
  }

  /// The process at `place` of the representative of the current state.
  [[nodiscard]] unsigned at(unsigned place) const { return order_[place]; }
  [[nodiscard]] unsigned last() const { return last_; }
  /// Whether a step of the process causes a violation.
  [[nodiscard]] bool goes_wrong(unsigned process) const {
    const std::vector<Step> steps = steps_of(program_, sets_, state_);
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return step.process == process && step.wrong; });
  }

  /// Takes a step to a state represented by `to`, by the process at `place` if possible. With `stays`, it should be the
  /// process that ran last: if two processes are equivalent, either may be at that place.
  bool go(unsigned place, StateStore::Number to, bool stays, Choice& choice) {
    const unsigned wanted = stays ? last_ : order_[place];
    std::vector<Step> steps = steps_of(program_, sets_, state_);
    for (const bool is_wanted : {true, false})
      for (Step& step : steps)
        if ((step.process == wanted) == is_wanted && takes(step, to)) {
          choice = {step.process, step.successor};
          if (step.events.empty() || step.events.front().kind != StepEventKind::kDrain) last_ = step.process;
          state_ = std::move(step.state);
          return true;
        }
    return false;
  }

 private:
  /// Whether a step leads to a state represented by `to`.
  bool takes(const Step& step, StateStore::Number to) {
    if (step.wrong) return false;
    const auto before = order_;
    settle(step.state, step.process);
    std::vector<std::uint8_t> row(packing_.bytes() + kSlack);
    if (packing_.pack(canon_.data(), row.data()) && same_rows(row.data(), store_.row(to), packing_.bytes()))
      return true;
    order_ = before;
    return false;
  }
  void settle(const std::vector<Slot>& state, unsigned process) {
    canon_ = state;
    canon_.resize(state.size() + kSlack);
    canonical_.apply(canon_.data(), process);
    order_ = canonical_.order();
  }

  const Program& program_;
  SpecSets* sets_;
  const StateStore& store_;
  Packing packing_;
  Canonical canonical_;
  std::vector<Slot> state_;
  std::vector<Slot> canon_;
  std::array<std::uint8_t, kMostProcesses> order_{};
  unsigned last_ = 0;
};

}  // namespace linpoint::refine
