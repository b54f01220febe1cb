// SPDX-License-Identifier: Apache-2.0
// Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1):
// each class of schedules that differ only in the order of independent steps at least once.
//
// A depth-first search over schedules, without stored states. After each step, every race that ends in it is to be
// turned round: before the earlier one of the two, somebody must go first with whom the later one can come first. Sleep
// sets keep processes back whose step was explored already and that nothing since then has touched.
//
// Where we differ from the paper:
// - Steps can wait. What a process still waits for at the end races with earlier steps, or deadlocks would be lost, and
//   an acquire that comes after a release races with the acquire before that (see Causality). Where nobody who could go
//   first is enabled, everybody goes: with locks of another kind the step may need what is done in between.
// - A run may be stopped by a step, as by an assertion, and what others would still have done is not known. So all the
//   others go first as well.
// - If somebody who could go first sleeps, the race needs no turning round: that order was explored.
// - Places mean something within one run only. So sleepers are compared by what is pending in the present run; that a
//   step also returned from an operation is known only from when it was explored, and remembered. One that turned out
//   to touch more than was pending keeps nobody back: what that would touch now is not known.
// - What a step turns out to do may be less than at another time. It counts for what it might have done (see Habits).
//
// Cost: memory for the present run, a clock and six sets for each step; and 32 kB for habits, however many runs there
// are.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "explore/causality.hpp"
#include "explore/choosing.hpp"
#include "explore/habits.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::explore {

namespace {

/// Which kinds of access of the clock a step had.
struct ClockUse {
  bool called = false;
  bool returned = false;
};

ClockUse clock_use(std::span<const Access> accesses) {
  ClockUse use;
  for (const Access& access : accesses) {
    use.called |= access.mode == Mode::kCall;
    use.returned |= access.mode == Mode::kReturn;
  }
  return use;
}

/// Whether a step did more than was pending. What only lets others go on does not count: they wait for a write.
bool exceeds(std::span<const Access> pending, std::span<const Access> event) {
  return std::any_of(event.begin(), event.end(), [&](const Access& done) {
    if (done.mode != Mode::kRead && done.mode != Mode::kWrite) return false;
    return std::none_of(pending.begin(), pending.end(), [&](const Access& known) {
      return known.begin <= done.begin && done.end <= known.end &&
             (known.mode == done.mode || known.mode != Mode::kRead);
    });
  });
}

/// Whether nothing is named but one place, and always the same: then an attempt that fails has looked at just what it
/// would have written, and whoever makes it fail writes that, or a part of it.
bool is_one_place(std::span<const Access> pending, std::span<const Access> event, bool whole) {
  const Access* place = nullptr;
  for (const std::span<const Access>& accesses : {pending, event})
    for (const Access& access : accesses) {
      if (access.mode == Mode::kCall || access.mode == Mode::kReturn) continue;
      if (place == nullptr) place = &access;
      if (access.begin != place->begin || access.end != place->end) return false;
    }
  return whole || place == nullptr || place->end - place->begin == 1;
}

/// Whether a step wrote all that it was to attempt.
bool writes_all(std::span<const Access> pending, std::span<const Access> event) {
  return std::all_of(pending.begin(), pending.end(), [&](const Access& attempted) {
    return attempted.mode != Mode::kWrite || std::any_of(event.begin(), event.end(), [&](const Access& done) {
             return done.begin <= attempted.begin && attempted.end <= done.end &&
                    (done.mode == Mode::kWrite || done.mode == Mode::kAcquire || done.mode == Mode::kRelease);
           });
  });
}

/// The state before a step, and what was and is to be explored there.
struct Node {
  ProcessSet wanted;    ///< explored, or to be
  ProcessSet asleep;    ///< explored, here or before
  ProcessSet called;    ///< of the sleepers, those whose step calls
  ProcessSet returned;  ///< and those whose step returns
  ProcessSet restless;  ///< and those whose step did more than was pending
  Process chosen = kNobody;
  Habit missed;          ///< of the chosen one: what it has done at other times, but not now
  ClockUse use;          ///< of the chosen one's step
  bool exceeds = false;  ///< that step did more than was pending

  void clear() {
    for (ProcessSet* each : {&wanted, &asleep, &called, &returned, &restless}) each->clear();
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

  /// Who is to be explored next; kNobody if all were.
  [[nodiscard]] Process open() const {
    Process process = wanted.next(0);
    while (process != kNobody && asleep.contains(process)) process = wanted.next(process + 1);
    return process;
  }
};

class Dpor final : public Explorer {
 public:
  explicit Dpor(DporOptions options) : options_(options), causality_(options.family_bits) {}

  [[nodiscard]] bool exhaustive() const override { return finished_ && !cut_ && diverged_at() == kNever; }

 private:
  bool begin_run() override {
    if (finished_) return false;
    if (open_) cut_ = true;  // the run before was left without an end
    if (begun_ && !go_back()) {
      finished_ = true;
      open_ = false;
      return false;
    }
    begun_ = true;
    open_ = true;
    followed_ = depth_;
    lost_ = false;
    step_ = 0;
    causality_.restart(depth_);
    return true;
  }

  /// To the last state where something is open; false if there is none.
  bool go_back() {
    while (depth_ > 0) {
      Node& node = nodes_[depth_ - 1];
      node.put_to_sleep(node.chosen, node.use, node.exceeds);
      node.chosen = node.open();
      if (node.chosen != kNobody) return true;
      --depth_;
    }
    return false;
  }

  Process choose_next(const View& view) override {
    observe(view);
    if (lost_) return default_choice(view);
    const Process chosen = step_ < followed_ ? follow(view) : branch(view);
    if (chosen != kNobody) {
      const std::span<const Access> known = view.processes[chosen].accesses;
      pending_.assign(known.begin(), known.end());
    }
    return chosen;
  }

  void end_run(const View& view, Ending ending) override {
    observe(view);
    open_ = false;
    if (ending == Ending::kCut) cut_ = true;
    if (lost_) return;
    if (step_ < followed_) {
      lose(step_);
      return;
    }
    if (ending == Ending::kStopped && step_ > 0) nodes_[step_ - 1].wanted.unite(causality_.enabled(step_ - 1));
    turn_round_pending(view, [](Process) { return true; });
  }

  /// Takes in what the last step turned out to do.
  void observe(const View& view) {
    if (lost_) return;
    if (step_ > 0) {
      const Step step = step_ - 1;
      Node& node = nodes_[step];
      const bool fresh = step + 1 >= followed_;
      if (fresh) compare_with_habits(node, view.event);
      count(view.event, pending_, node.missed);
      causality_.add(node.chosen, event_, view.event.size());
      if (fresh) {
        node.use = clock_use(event_);
        node.exceeds = exceeds(pending_, view.event);
        turn_round(node.chosen);
      }
    }
    if (!causality_.arrive(view)) diverge(step_);
  }

  void compare_with_habits(Node& node, std::span<const Access> event) {
    const Habit now{.returns = clock_use(event).returned, .roams = exceeds(pending_, event)};
    const std::uint64_t standing = causality_.standing(node.chosen, pending_);
    const Habit known = habits_.known(standing);
    node.missed = {.returns = known.returns && !now.returns, .roams = known.roams};
    habits_.learn(standing, now);
  }

  /// What a step counts as: what it did, and what it might have done.
  void count(std::span<const Access> event, std::span<const Access> attempted, Habit missed) {
    event_.assign(event.begin(), event.end());
    if (!writes_all(attempted, event) && !is_one_place(attempted, event, options_.whole_places))
      event_.insert(event_.end(), attempted.begin(), attempted.end());
    if (missed.returns) event_.push_back({kClock, kClock, Mode::kReturn});
    if (missed.roams) event_.push_back(kEverything);
  }

  /// The program does not do again what it did: the rest of this run is of no use to the search.
  void lose(Step step) {
    diverge(step);
    depth_ = step;
    lost_ = true;
  }

  Process follow(const View& view) {
    const Node& node = nodes_[step_];
    if (can_go(view, node.chosen)) {
      ++step_;
      return node.chosen;
    }
    lose(step_);
    return default_choice(view);
  }

  Process branch(const View& view) {
    if (depth_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[depth_];
    node.clear();
    if (options_.sleep_sets && depth_ > 0) inherit_sleepers(nodes_[depth_ - 1], node, view);
    node.chosen = default_among(view, [&](Process process) { return !node.asleep.contains(process); });
    if (node.chosen == kNobody) {
      // Turned round, what still waits may wake the sleepers. What the sleepers themselves race with was seen before.
      turn_round_pending(view, [&](Process process) { return !can_go(view, process); });
      open_ = false;
      return kNobody;
    }
    node.wanted.insert(node.chosen);
    ++depth_;
    ++step_;
    return node.chosen;
  }

  void inherit_sleepers(const Node& before, Node& node, const View& view) const {
    before.asleep.each([&](Process sleeper) {
      if (sleeper == before.chosen || !can_go(view, sleeper) || before.restless.contains(sleeper)) return;
      const ClockUse use = before.use_of(sleeper);
      if ((use.called && before.use.returned) || (use.returned && before.use.called)) return;
      if (!causality_.depend(sleeper, view.processes[sleeper].accesses, before.chosen, event_))
        node.put_to_sleep(sleeper, use, false);
    });
  }

  /// What is pending counts, though it is not done.
  template <typename Counts>
  void turn_round_pending(const View& view, const Counts& counts) {
    for (Process process = 0; process < view.processes.size(); ++process) {
      if (!view.processes[process].alive || !counts(process)) continue;
      const std::span<const Access> known = view.processes[process].accesses;
      count(known, {}, habits_.known(causality_.standing(process, known)));
      causality_.relate(process, event_);
      turn_round(process);
    }
  }

  /// Sees to it that each race of the process's step that was related last is also explored the other way round.
  void turn_round(Process process) {
    for (const Step step : causality_.races()) {
      Node& node = nodes_[step];
      const Process first = initial(step, process, node);
      if (first == kCovered) continue;
      if (first == kNobody)
        node.wanted.unite(causality_.enabled(step));
      else
        node.wanted.insert(first);
    }
  }

  /// Somebody who can go at the node where `raced` was done, such that the related step can come before it: the first
  /// in what does not happen after it. kCovered if such a one was or will be explored, kNobody if none is enabled.
  Process initial(Step raced, Process related, const Node& node) {
    firsts_.clear();
    Process found = kNobody;
    const auto covers = [&](Process process) {
      if (node.wanted.contains(process) || node.asleep.contains(process)) return true;
      if (found == kNobody && causality_.enabled(raced).contains(process)) found = process;
      return false;
    };
    for (Step step = raced + 1; step < causality_.related(); ++step) {
      if (causality_.before(raced, step)) continue;
      const Process process = causality_.process(step);
      if (has_first(process)) continue;
      const bool leads = !any_first([&](Step first) { return causality_.before(first, step); });
      firsts_.push_back(step);
      if (leads && covers(process)) return kCovered;
    }
    if (has_first(related)) return found;
    const bool leads = !any_first([&](Step first) { return causality_.before_related(first); });
    if (!leads) return found;
    if (covers(related)) return kCovered;
    return causality_.enabled(raced).contains(related) ? related : found;
  }

  template <typename Holds>
  [[nodiscard]] bool any_first(const Holds& holds) const {
    return std::any_of(firsts_.begin(), firsts_.end(), holds);
  }

  [[nodiscard]] bool has_first(Process process) const {
    return any_first([&](Step first) { return causality_.process(first) == process; });
  }

  static constexpr Process kCovered = kNobody - 1;
  static constexpr Access kEverything{kClock + 1, std::numeric_limits<std::uint64_t>::max(), Mode::kWrite};

  DporOptions options_;
  Causality causality_;
  Habits habits_;
  std::vector<Access> pending_;  ///< of the process that was chosen last
  std::vector<Access> event_;    ///< what the last step counts as
  std::vector<Node> nodes_;      ///< of the present run; those past depth_ are kept for their memory
  Step depth_ = 0;
  Step followed_ = 0;  ///< so many steps are those of an earlier run, but for what the last one of them does
  Step step_ = 0;      ///< so many were chosen in this run
  bool begun_ = false;
  bool open_ = false;
  bool finished_ = false;
  bool cut_ = false;
  bool lost_ = false;
  std::vector<Step> firsts_;  ///< in `initial`: of each process the first step that does not happen after the race's
};

}  // namespace

std::unique_ptr<Explorer> make_dpor(DporOptions options) { return std::make_unique<Dpor>(options); }

}  // namespace linpoint::explore
