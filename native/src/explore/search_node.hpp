// SPDX-License-Identifier: Apache-2.0
// A state on the path of a backtracking search.
#pragma once

#include "explore/actual_step_effects.hpp"
#include "explore/observed_next_steps.hpp"
#include "explore/process_set.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

/// The state before a step, with the processes that were explored or are to be explored there.
struct SearchNode {
  ProcessSet wanted;    ///< explored, or to be explored
  ProcessSet asleep;    ///< explored, here or earlier
  ProcessSet called;    ///< among the sleeping processes, those whose step calls an operation
  ProcessSet returned;  ///< those whose step returns from one
  ProcessSet restless;  ///< those whose step did more than was pending
  Process chosen = kNobody;
  Habit missed;          ///< of the chosen process: what it did in other runs, but not in this one
  ClockUse use;          ///< of the chosen process's step
  bool exceeds = false;  ///< whether that step did more than was pending

  void clear() {
    for (ProcessSet* each : {&wanted, &asleep, &called, &returned, &restless}) each->clear();
    missed = {};
    use = {};
    exceeds = false;
  }

  void put_to_sleep(Process process, ClockUse turned_out, bool did_more) {
    asleep.insert(process);
    if (did_more) restless.insert(process);
    if (turned_out.called) called.insert(process);
    if (turned_out.returned) returned.insert(process);
  }

  [[nodiscard]] ClockUse use_of(Process sleeper) const {
    return {called.contains(sleeper), returned.contains(sleeper)};
  }

  /// The next process to explore; kNobody if all were.
  [[nodiscard]] Process open() const {
    Process process = wanted.next(0);
    while (process != kNobody && (asleep.contains(process) || process == chosen)) process = wanted.next(process + 1);
    return process;
  }
};

}  // namespace linpoint::explore
