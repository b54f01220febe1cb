// SPDX-License-Identifier: Apache-2.0
// Who happened before whom in one run, and which steps raced.
//
// Steps are numbered from 0. A step happens before a later one of its process, before all of a process that it brings
// into being, before later ones that depend on it, and before what these happen before. A vector clock for each step
// says so: for each process, how many steps of the run there were when its last step that happened before was done.
//
// Two steps *race* if they depend on each other, nothing between them orders them, and the later one could have come
// first. A release and the acquire that needs it cannot change places; but the acquire could have come instead of an
// earlier one of the same lock, and the release between them does not hide that. In the same way nothing is hidden by a
// step at which the later one had to wait: {call, acquire} of a process that waits for ever comes after the return of
// whoever has the lock, cannot come before it, and yet could have come before that one's acquire. Whoever would only go
// round a loop counts as waiting.
//
// Cost: a step looks at the accesses of its places down to the last write, and has a clock as long as there are
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

  /// Another run, of which the first states are those of the one before: what was done between them keeps its clocks.
  void restart(Step states);

  /// The state after the steps so far: who is enabled, and who has come into being by the last step. False if it is a
  /// known state, and others were enabled there.
  bool arrive(const View& view);

  /// The next step: the first so many accesses were done, the others count as if they were. If it was not done in the
  /// run before, `races()` has what it races with.
  void add(Process process, std::span<const Access> event, std::size_t done);

  /// Where a process stands that is about to do this, as a number: the same in all runs in which it is in the same
  /// state, for it is made of what its steps have read, that is, of the steps that wrote it. Places do not enter into
  /// it, as they mean something within one run only.
  [[nodiscard]] std::uint64_t standing(Process process, std::span<const Access> pending) const;

  /// What a step of the process would race with if it were the next: `races()`.
  void relate(Process process, std::span<const Access> accesses);

  /// Of the step that was related last, which is number `related()`: earlier steps, the last first.
  [[nodiscard]] const std::vector<Step>& races() const { return races_; }
  [[nodiscard]] Step related() const { return related_; }

  [[nodiscard]] Step steps() const { return static_cast<Step>(processes_.size()); }
  [[nodiscard]] Process process(Step step) const { return processes_[step]; }

  /// Who was enabled before this step and could do something, as far as was known when it was first taken.
  [[nodiscard]] const ProcessSet& useful(Step step) const { return useful_[step]; }

  /// Whether `earlier` happens before `later`.
  [[nodiscard]] bool before(Step earlier, Step later) const { return knows(clock(later), earlier); }

  /// Whether `step` happens before the one that was related last.
  [[nodiscard]] bool before_related(Step step) const { return knows(full_.data(), step); }

 private:
  [[nodiscard]] const Step* clock(Step step) const { return clocks_.data() + step * width_; }
  [[nodiscard]] bool knows(const Step* clock, Step step) const { return clock[processes_[step]] > step; }
  /// Whether the process waited at this step for what it does next.
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
  std::vector<ProcessSet> useful_;   ///< of them, see `useful`
  std::vector<Access> accesses_;
  std::vector<Step> owners_;       ///< of each access
  std::vector<bool> done_;         ///< of each access: it does not only count
  std::vector<std::size_t> ends_;  ///< of the accesses of each step
  PlaceIndex places_;              ///< of the accesses
  Step states_ = 0;

  std::size_t width_ = 0;     ///< of a clock
  std::vector<Step> clocks_;  ///< of each step
  std::vector<Step>
      last_;  ///< of each process: one more than its last step, or than the one that brought it into being
  std::vector<Step> calls_;    ///< of each process: one more than the last step with a kCall
  std::vector<Step> returns_;  ///< the same for kReturn
  std::vector<bool> born_;
  std::vector<std::uint64_t> marks_;  ///< of each step: where its process stands after it
  std::vector<Step> writers_;         ///< of what a step touches

  ProcessSet present_;
  Step related_ = 0;
  std::vector<Step> candidates_;
  std::vector<Step> races_;
  std::vector<Step> plain_;   ///< the clock of the step that was related last, without what hides nothing
  std::vector<Step> needed_;  ///< and with what it could not have done without
  std::vector<Step> full_;    ///< and with all of it
};

}  // namespace linpoint::explore
