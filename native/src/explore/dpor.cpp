// SPDX-License-Identifier: Apache-2.0
// Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1):
// explores each class of schedules that differ only in the order of independent steps at least once.
//
// A depth-first search over schedules, without stored states. After each step, every race that ends in it must be
// reversed: before the earlier of the two steps, an initial process must run with which the later step can come first.
// Sleep sets hold back processes whose step was already explored and is independent of all steps since.
//
// Differences from the paper:
// - Steps can block. The step that a process still waits for at the end races with earlier steps; otherwise deadlocks
//   would be lost. An acquire that comes after a release races with the acquire before that release (see Causality). If
//   no initial process is enabled, every enabled process is explored: with other kinds of locks the step may need what
//   happens in between.
// - A step may stop the run, for example by an assertion, so that the remaining steps of other processes are unknown.
//   Therefore all other processes are explored before that step as well.
// - If an initial process is asleep, the race needs no reversal: that order was explored.
// - Places are only meaningful within one run. So sleeping processes are compared by their pending accesses in the
//   current run. That a step also returned from an operation is known only from its exploration, and is remembered. A
//   process whose step touched more than was pending is not kept asleep: what the step would touch now is unknown.
// - A process that would only repeat a waiting loop is held back while others are enabled, as if it were blocked. It is
//   not treated as disabled, since this may become known during a search in which such an iteration was already
//   explored.
// - A step may do less than in other runs. It counts for everything it might have done (see Habits).
//
// Several searches can share the work (see SharedTree).
//
// Cost: memory for the current run, with a clock and six sets for each step, and 32 kB for habits, independent of the
// number of runs.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "explore/actual_step_effects.hpp"
#include "explore/causality.hpp"
#include "explore/runnable_choice.hpp"
#include "explore/search_node.hpp"
#include "explore/shared_tree.hpp"
#include "linpoint/explore/schedulers.hpp"

namespace linpoint::explore {

namespace {

class Dpor final : public SharedExplorer {
 public:
  explicit Dpor(DporOptions options) : options_(options), causality_(options.family_bits) {}
  Dpor(DporOptions options, std::unique_ptr<SharedTree> tree, std::function<bool()> wait)
      : options_(options), tree_(std::move(tree)), wait_(std::move(wait)), causality_(options.family_bits) {}

  [[nodiscard]] bool exhaustive() const override {
    return finished_ && !cut_ && diverged_at() == kNever && (!tree_ || tree_->exhaustive());
  }

  [[nodiscard]] double explored() const override {
    double share = 0;
    double rest = 1;
    for (Step step = 0; step < depth_ && !tree_; ++step) {
      std::size_t wanted = 0;
      std::size_t done = 0;
      nodes_[step].wanted.each([&](Process process) {
        ++wanted;
        if (nodes_[step].asleep.contains(process)) ++done;
      });
      rest /= static_cast<double>(wanted);
      share += rest * static_cast<double>(done);
    }
    return share;
  }

  [[nodiscard]] bool happened_before(std::uint64_t earlier, std::uint64_t later) const override {
    return earlier < later && causality_.before(static_cast<Step>(earlier), static_cast<Step>(later));
  }

  void stop() override {
    if (tree_) tree_->stop();
  }
  [[nodiscard]] bool given_up() const override { return tree_ && tree_->given_up(); }

 private:
  bool begin_run() override {
    if (finished_) return false;
    if (open_) leave_out();  // the previous run was abandoned
    open_ = false;
    if (tree_ ? !begin_shared() : begun_ && !go_back()) {
      finished_ = true;
      return false;
    }
    begun_ = true;
    open_ = true;
    followed_ = depth_;
    lost_ = false;
    step_ = 0;
    causality_.restart(known_);
    return true;
  }

  bool begin_shared() {
    if (tree_->over() || (!(begun_ && go_back()) && !get_work())) return false;
    if (tree_->is_asked()) share();
    return true;
  }

  /// Backtracks to the last state with an open process; false if there is none.
  bool go_back() {
    for (; depth_ > 0; --depth_) {
      SearchNode& node = nodes_[depth_ - 1];
      if (depth_ <= path_.size()) {
        Taken taken = tree_->take_or_leave(path_.back());
        if (taken.process == kNobody) path_.pop_back();
        node.chosen = taken.process;
        node.asleep = std::move(taken.before);
      } else {
        node.put_to_sleep(node.chosen, node.use, node.exceeds);
        node.chosen = node.open();
      }
      if (node.chosen == kNobody) continue;
      known_ = depth_;
      return true;
    }
    return false;
  }

  /// Gets work from another search that has too much; false if the search is over.
  bool get_work() {
    bool idle = false;
    for (;;) {
      const std::optional<SharedTree::Work> work = tree_->look_for_work(idle);
      if (work) {
        go_to(*work);
        return true;
      }
      if (tree_->over() || !wait_()) return false;
    }
  }

  void go_to(const SharedTree::Work& work) {
    path_ = work.path;
    known_ = 0;  // the previous path was a different one
    depth_ = static_cast<Step>(path_.size());
    if (nodes_.size() < depth_) nodes_.resize(depth_);
    for (Step step = 0; step < depth_; ++step) {
      nodes_[step].clear();
      nodes_[step].chosen = work.chosen[step];
    }
    if (depth_ > 0) nodes_[depth_ - 1].asleep = work.asleep;
  }

  /// Offers another search the open processes nearest to the root, which probably have the most work.
  void share() {
    const auto first = static_cast<Step>(path_.size());
    Step open = first;
    while (open < depth_ && nodes_[open].open() == kNobody) ++open;
    if (open == depth_) return;
    std::vector<PathState> states;
    for (Step step = first; step <= open; ++step) {
      const SearchNode& node = nodes_[step];
      const Process via = step == 0 ? kNobody : nodes_[step - 1].chosen;
      states.push_back({.via = via, .chosen = node.chosen, .wanted = &node.wanted, .asleep = &node.asleep});
    }
    static_cast<void>(tree_->share(path_, states));
  }

  void leave_out() {
    cut_ = true;
    if (tree_) tree_->leave_out();
  }

  void want(Step step, Process process) {
    if (step < path_.size())
      tree_->want(path_[step], process);
    else
      nodes_[step].wanted.insert(process);
  }

  void want_all(Step step) {
    causality_.useful(step).each([&](Process process) { want(step, process); });
  }

  /// Whether a process was or will be explored from that step, by this search or another one.
  [[nodiscard]] bool covers(Step step, Process process) const {
    if (step < path_.size()) return tree_->covers(path_[step], process);
    return nodes_[step].wanted.contains(process) || nodes_[step].asleep.contains(process);
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
    if (ending == Ending::kCut) leave_out();
    if (lost_) return;
    if (step_ < followed_) {
      lose(step_);
      return;
    }
    if (ending == Ending::kStopped && step_ > 0) want_all(step_ - 1);
    turn_round_pending(view, [](Process) { return true; });
  }

  /// Processes the actual effects of the last step.
  void observe(const View& view) {
    if (lost_) return;
    if (step_ > 0) {
      const Step step = step_ - 1;
      SearchNode& node = nodes_[step];
      const bool fresh = step + 1 >= followed_;
      if (fresh) compare_with_habits(node, view.event);
      count(view.event, pending_, node.missed);
      causality_.add(node.chosen, event_, view.event.size());
      if (fresh) {
        node.use = clock_use(event_);
        node.exceeds = exceeds(pending_, view.event);
        if (tree_ && (node.use.returned || node.exceeds)) tree_->give_up();
        turn_round(node.chosen);
      }
    }
    if (!causality_.arrive(view)) diverge(step_);
    if (tree_ && view.processes.size() > GrowingSet::kMost) tree_->give_up();
  }

  void compare_with_habits(SearchNode& node, std::span<const Access> event) {
    const Habit now{.returns = clock_use(event).returned, .roams = exceeds(pending_, event)};
    const std::uint64_t standing = causality_.standing(node.chosen, pending_);
    const Habit known = habits_.known(standing);
    node.missed = {.returns = known.returns && !now.returns, .roams = known.roams};
    habits_.learn(standing, now);
  }

  /// The accesses that a step counts for: those it made, and those it might have made.
  void count(std::span<const Access> event, std::span<const Access> attempted, Habit missed) {
    event_.assign(event.begin(), event.end());
    if (!writes_all(attempted, event) && !is_one_place(attempted, event, options_.whole_places))
      event_.insert(event_.end(), attempted.begin(), attempted.end());
    if (missed.returns) event_.push_back({kClock, kClock, Mode::kReturn});
    if (missed.roams) event_.push_back(kEverything);
  }

  /// The program diverged when it was repeated: the rest of this run is useless to the search.
  void lose(Step step) {
    diverge(step);
    depth_ = step;
    lost_ = true;
    stop();
  }

  Process follow(const View& view) {
    const SearchNode& node = nodes_[step_];
    if (can_go(view, node.chosen)) {
      ++step_;
      return node.chosen;
    }
    lose(step_);
    return default_choice(view);
  }

  Process branch(const View& view) {
    if (depth_ == nodes_.size()) nodes_.emplace_back();
    SearchNode& node = nodes_[depth_];
    node.clear();
    if (options_.sleep_sets && depth_ > 0) inherit_sleepers(nodes_[depth_ - 1], node, view);
    const ProcessSet& useful = causality_.useful(causality_.steps());
    node.chosen = default_among(
        view, [&](Process process) { return useful.contains(process) && !node.asleep.contains(process); });
    if (node.chosen == kNobody) {
      // Reversing races with blocked steps may wake sleeping processes. Races of the sleeping processes were seen
      // before.
      turn_round_pending(view, [&](Process process) { return !useful.contains(process); });
      open_ = false;
      return kNobody;
    }
    node.wanted.insert(node.chosen);
    ++depth_;
    ++step_;
    return node.chosen;
  }

  void inherit_sleepers(const SearchNode& before, SearchNode& node, const View& view) const {
    before.asleep.each([&](Process sleeper) {
      if (sleeper == before.chosen || !can_go(view, sleeper) || before.restless.contains(sleeper)) return;
      const ClockUse use = before.use_of(sleeper);
      if ((use.called && before.use.returned) || (use.returned && before.use.called)) return;
      if (!causality_.depend(sleeper, view.processes[sleeper].accesses, before.chosen, event_))
        node.put_to_sleep(sleeper, use, false);
    });
  }

  /// Pending steps count, although they are not executed.
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

  /// Ensures that each race of the step that was related last is also explored in reverse.
  void turn_round(Process process) {
    for (const Step step : causality_.races()) {
      const Process first = initial(step, process);
      if (first == kCovered) continue;
      if (first == kNobody)
        want_all(step);
      else
        want(step, first);
    }
  }

  /// An enabled process at the node of `raced` that allows the related step to come before it: an initial process of
  /// the steps that do not happen after `raced`. kCovered if one was or will be explored, kNobody if none is enabled.
  Process initial(Step raced, Process related) {
    firsts_.clear();
    Process found = kNobody;
    const auto covered = [&](Process process) {
      if (covers(raced, process)) return true;
      if (found == kNobody && causality_.useful(raced).contains(process)) found = process;
      return false;
    };
    for (Step step = raced + 1; step < causality_.related(); ++step) {
      if (causality_.before(raced, step)) continue;
      const Process process = causality_.process(step);
      if (has_first(process)) continue;
      const bool leads = !any_first([&](Step first) { return causality_.before(first, step); });
      firsts_.push_back(step);
      if (leads && covered(process)) return kCovered;
    }
    if (has_first(related)) return found;
    const bool leads = !any_first([&](Step first) { return causality_.before_related(first); });
    if (!leads) return found;
    if (covered(related)) return kCovered;
    return causality_.useful(raced).contains(related) ? related : found;
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
  std::unique_ptr<SharedTree> tree_;  ///< set if other searches take part
  std::function<bool()> wait_;
  std::vector<SharedTree::Number> path_;  ///< of the first states, which are shared
  Causality causality_;
  Habits habits_;
  std::vector<Access> pending_;    ///< of the process chosen last
  std::vector<Access> event_;      ///< the accesses that the last step counts for
  std::vector<SearchNode> nodes_;  ///< of the current run; those past depth_ keep their memory
  Step depth_ = 0;
  Step known_ = 0;     ///< number of states shared with the previous run
  Step followed_ = 0;  ///< number of steps that repeat an earlier run, except for the effect of the last one
  Step step_ = 0;      ///< number of steps chosen in this run
  bool begun_ = false;
  bool open_ = false;
  bool finished_ = false;
  bool cut_ = false;
  bool lost_ = false;
  std::vector<Step> firsts_;  ///< in `initial`: for each process, its first step that does not happen after the race's
};

}  // namespace

std::unique_ptr<Explorer> make_dpor(DporOptions options) { return std::make_unique<Dpor>(options); }

std::unique_ptr<SharedExplorer> make_shared_dpor(DporOptions options, std::span<std::byte> memory, unsigned searches,
                                                 std::function<bool()> wait) {
  return std::make_unique<Dpor>(options, std::make_unique<SharedTree>(memory, searches), std::move(wait));
}

}  // namespace linpoint::explore
