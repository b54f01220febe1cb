// SPDX-License-Identifier: Apache-2.0
// The happens-before order of one run, and which steps raced.
//
// Steps are numbered from 0. A step happens before the later ones of its process, before all steps of a process that it
// creates, before later steps that depend on it, and, transitively, before what these happen before. Each step has a
// vector clock: for each process, the number of steps of the run up to and including that process's last step that
// happened before.
//
// Two steps *race* if they depend on each other, nothing between them orders them, and the later one could have come
// first. A release and the acquire that needs it cannot change places. But the acquire could have come instead of an
// earlier acquire of the same lock, and the release between them does not hide that. Likewise, a step at which the
// later one had to wait hides nothing: {call, acquire} of a process that waits forever comes after the return of the
// process that holds the lock and cannot come before it, yet could have come before that process's acquire. A process
// that would only repeat a loop counts as waiting.
//
// Cost: a step reads the accesses to its places down to the last write, and has a clock as long as the number of
// processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explore/access_index.hpp"
#include "explore/process_set.hpp"
#include "explore/runnable_choice.hpp"
#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

using Step = std::uint32_t;

class Causality {
 public:
  /// See `DporOptions::family_bits`.
  explicit Causality(unsigned family_bits) : family_bits_(family_bits) {}

  /// Whether steps of the two processes with these accesses depend on each other.
  [[nodiscard]] bool depend(Process one, std::span<const Access> accesses, Process other,
                            std::span<const Access> others) const;

  /// Starts another run whose first `states` states are those of the previous one; the steps between them keep their
  /// clocks.
  void restart(Step states);

  /// Records the state after the steps so far: which processes are enabled, and which ones the last step created. False
  /// if it is a known state in which other processes were enabled.
  bool arrive(const View& view);

  /// Adds the next step: the first `done` accesses were executed, the others count as if they were. If the previous run
  /// did not have this step, `races()` has the steps that it races with.
  void add(Process process, std::span<const Access> event, std::size_t done);

  /// A number for the state of a process that is about to make these accesses. It is the same in all runs in which the
  /// process is in the same state, since it is computed from what its steps have read, that is, from the steps that
  /// wrote it. It does not depend on places, which are only meaningful within one run.
  [[nodiscard]] std::uint64_t standing(Process process, std::span<const Access> pending) const;

  /// Computes `races()` for a step of the process as if it were the next one.
  void relate(Process process, std::span<const Access> accesses);

  /// For the step that was related last, which has the number `related()`: earlier steps, the last first.
  [[nodiscard]] const std::vector<Step>& races() const { return races_; }
  [[nodiscard]] Step related() const { return related_; }

  [[nodiscard]] Step steps() const { return static_cast<Step>(processes_.size()); }
  [[nodiscard]] Process process(Step step) const { return processes_[step]; }

  /// The processes that were enabled before this step and could make progress, as known when it was first taken.
  [[nodiscard]] const ProcessSet& useful(Step step) const { return useful_[step]; }

  /// Whether `earlier` happens before `later`.
  [[nodiscard]] bool before(Step earlier, Step later) const { return knows(clock(later), earlier); }

  /// Whether `step` happens before the step that was related last.
  [[nodiscard]] bool before_related(Step step) const { return knows(full_.data(), step); }

 private:
  [[nodiscard]] const Step* clock(Step step) const { return clocks_.data() + step * width_; }
  [[nodiscard]] bool knows(const Step* clock, Step step) const { return clock[processes_[step]] > step; }
  /// Whether the process was blocked at this step, waiting for its next step.
  [[nodiscard]] bool waited(Process process, Step step) const {
    return last_[process] <= step && !useful_[step].contains(process);
  }
  [[nodiscard]] bool depend(Process one, const Access& done, Process other, const Access& wanted) const;
  [[nodiscard]] std::span<const Access> accesses(Step step) const;
  void join(std::vector<Step>& clock, Step step) const;
  void widen(std::size_t processes);
  void keep_clock(Process process, Step step);
  void keep_mark(Process process, Step step, std::span<const Access> done);
  void collect(Process process, std::span<const Access> accesses);
  void collect(Process process, const Access& access);

  unsigned family_bits_;
  std::vector<Process> processes_;   ///< of each step
  std::vector<ProcessSet> enabled_;  ///< before each step
  std::vector<ProcessSet> useful_;   ///< a subset of these, see `useful`
  std::vector<Access> accesses_;
  std::vector<Step> owners_;       ///< of each access
  std::vector<bool> done_;         ///< of each access: it was executed
  std::vector<std::size_t> ends_;  ///< of the accesses of each step
  PlaceIndex places_;              ///< of the accesses
  Step states_ = 0;

  std::size_t width_ = 0;      ///< of a clock
  std::vector<Step> clocks_;   ///< of each step
  std::vector<Step> last_;     ///< of each process: one more than its last step, or than the step that created it
  std::vector<Step> calls_;    ///< of each process: one more than the last step with a kCall
  std::vector<Step> returns_;  ///< the same for kReturn
  std::vector<bool> born_;
  std::vector<std::uint64_t> marks_;  ///< of each step: the state number of its process after it
  std::vector<Step> writers_;         ///< of the places a step touches

  ProcessSet present_;
  Step related_ = 0;
  std::vector<Step> candidates_;
  std::vector<Step> races_;
  std::vector<Step> plain_;   ///< the clock of the step that was related last, without steps that hide nothing
  std::vector<Step> needed_;  ///< and with the steps it could not have done without
  std::vector<Step> full_;    ///< and with all of them
};

}  // namespace linpoint::explore
