// SPDX-License-Identifier: Apache-2.0
// Explores every schedule with few preemptions, fewest first (Musuvathi and Qadeer, PLDI 2007), each exactly once.
//
// A schedule is the list of its deviations from the default; following the default after the last of them gives a run.
// Each step of that run where another process is enabled starts one more schedule: under the current bound if it costs
// no preemption, under the next bound if it does. So a schedule has a single predecessor, and none is explored twice.
//
// Cost: a few words for each schedule with less than the maximum number of preemptions, since consecutive steps with
// the same alternatives are stored as one stretch; for the others, as many as the run has steps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "explore/runnable_choice.hpp"
#include "hashing.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::explore {

namespace {

/// The last deviation of a schedule, and the index of the one before it.
struct Choice {
  std::uint32_t before = 0;
  std::uint32_t step = 0;
  Process process = kNobody;
  std::uint64_t seen = 0;  ///< a hash of the enabled processes up to this step
};

/// Consecutive steps of one run with the same alternatives.
struct Stretch {
  std::uint32_t schedule = 0;  ///< its last choice
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
  Process next = 0;  ///< alternatives of the first step from here on are left
  std::uint64_t seen = 0;
  ProcessSet enabled;
  ProcessSet others;  ///< the alternatives, all with the same cost
};

std::uint64_t with(std::uint64_t seen, const ProcessSet& enabled) {
  enabled.each([&](Process process) { seen = mix(seen + process + 1); });
  return mix(~seen);
}

class Bounded final : public BoundedExplorer {
 public:
  explicit Bounded(int most) : most_(most), finished_(most < 0), pruned_(most < 0), choices_(1) {}

  [[nodiscard]] int completed() const override { return completed_; }
  [[nodiscard]] bool exhaustive() const override { return finished_ && whole_ && !pruned_; }

 private:
  bool begin_run() override {
    if (open_) whole_ = false;  // the previous run was abandoned
    open_ = false;
    step_ = 0;
    seen_ = 0;
    at_ = 0;
    wanted_.clear();
    while (begun_ && !finished_ && now_.empty()) next_bound();
    if (finished_) return false;
    if (begun_) take(now_.back());
    begun_ = true;
    open_ = true;
    return true;
  }

  void next_bound() {
    if (whole_) completed_ = bound_;
    finished_ = later_.empty() || bound_ == most_;
    if (finished_) {
      if (whole_ && !pruned_) completed_ = most_;
      return;
    }
    ++bound_;
    std::swap(now_, later_);
    kept_ = choices_.size();
  }

  /// Makes the next alternative of a stretch the schedule of this run.
  void take(Stretch& stretch) {
    // At the maximum bound nothing is left for later: everything after this schedule is finished.
    if (bound_ == most_) choices_.resize(std::max<std::size_t>(kept_, stretch.schedule + std::size_t{1}));
    const std::uint64_t seen = with(stretch.seen, stretch.enabled);
    const Process process = stretch.others.next(stretch.next);
    choices_.push_back({stretch.schedule, stretch.step, process, seen});
    stretch.next = process + 1;
    if (stretch.others.next(stretch.next) == kNobody) {
      stretch.next = 0;
      ++stretch.step;
      --stretch.steps;
      stretch.seen = seen;
    }
    schedule_ = static_cast<std::uint32_t>(choices_.size() - 1);
    for (std::uint32_t at = schedule_; at != 0; at = choices_[at].before) wanted_.push_back(choices_[at]);
    std::reverse(wanted_.begin(), wanted_.end());
    if (stretch.steps == 0) now_.pop_back();
  }

  Process choose_next(const View& view) override {
    const std::uint32_t step = step_++;
    collect_enabled(view, enabled_);
    const std::uint64_t before = std::exchange(seen_, with(seen_, enabled_));
    const Process usual = default_choice(view);
    if (at_ == wanted_.size()) {
      note_alternatives(view, step, before, usual);
      return usual;
    }
    if (wanted_[at_].step != step) return usual;
    const Choice& wanted = wanted_[at_++];
    if (wanted.seen != seen_ || !can_go(view, wanted.process)) diverge(step);
    return can_go(view, wanted.process) ? wanted.process : usual;
  }

  void note_alternatives(const View& view, std::uint32_t step, std::uint64_t before, Process usual) {
    free_.clear();
    costly_.clear();
    enabled_.each([&](Process process) {
      if (process != usual) (preempts(view, process) ? costly_ : free_).insert(process);
    });
    if (!free_.empty()) note(now_, step, before, free_);
    if (costly_.empty()) return;
    if (bound_ == most_)
      pruned_ = true;
    else
      note(later_, step, before, costly_);
  }

  void note(std::vector<Stretch>& stretches, std::uint32_t step, std::uint64_t before, const ProcessSet& others) {
    if (!stretches.empty()) {
      Stretch& last = stretches.back();
      if (last.schedule == schedule_ && last.step + last.steps == step && last.others == others &&
          last.enabled == enabled_) {
        ++last.steps;
        return;
      }
    }
    stretches.push_back({schedule_, step, 1, 0, before, enabled_, others});
  }

  void end_run(const View& /*view*/, Ending ending) override {
    open_ = false;
    if (at_ < wanted_.size()) diverge(step_);
    if (ending == Ending::kCut || diverged_at() != kNever) whole_ = false;
  }

  int most_;
  int bound_ = 0;
  int completed_ = -1;
  bool finished_;
  bool pruned_;        ///< a schedule needs more than the maximum number of preemptions
  bool whole_ = true;  ///< nothing was cut, and nothing diverged when it was repeated
  bool begun_ = false;
  bool open_ = false;
  std::vector<Choice> choices_;  ///< the first stands for no deviation
  std::size_t kept_ = 1;         ///< number of choices that belong to earlier bounds
  std::vector<Stretch> now_;     ///< to be explored with the current bound
  std::vector<Stretch> later_;   ///< to be explored with the next bound

  std::uint32_t schedule_ = 0;
  std::vector<Choice> wanted_;
  std::size_t at_ = 0;
  std::uint32_t step_ = 0;
  std::uint64_t seen_ = 0;
  ProcessSet enabled_;
  ProcessSet free_;    ///< in `note_alternatives`: those that cost no preemption
  ProcessSet costly_;  ///< and those that do
};

}  // namespace

std::unique_ptr<BoundedExplorer> make_bounded(int most) { return std::make_unique<Bounded>(most); }

}  // namespace linpoint::explore
