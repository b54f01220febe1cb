// SPDX-License-Identifier: Apache-2.0
// What explorers show of a script: runs it as they choose, and keeps what there was to see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "linpoint/explore/schedulers.hpp"
#include "tests/explore/tiny_programs.hpp"

namespace linpoint::tests {

/// What one run showed.
struct Shown {
  std::vector<explore::Process> schedule;
  std::vector<std::vector<explore::Access>> events;
  std::string outcome;
  explore::Ending ending = explore::Ending::kComplete;
  bool redundant = false;
};

/// A machine as explorers see it.
class Stage {
 public:
  Stage(const Machine& machine, explore::Process running, const std::vector<explore::Access>& event)
      : accesses_(machine.threads()), processes_(machine.threads()), running_(running), event_(event) {
    for (std::size_t each = 0; each < processes_.size(); ++each) {
      accesses_[each] = machine.pending(each);
      processes_[each] = {machine.alive(each), machine.enabled(each), machine.yields(each), accesses_[each]};
      alive_ |= machine.alive(each);
      enabled_ |= machine.enabled(each);
    }
  }

  [[nodiscard]] explore::View view() const { return {processes_, running_, event_}; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] explore::Ending ending(bool stopped) const {
    if (enabled_) return explore::Ending::kCut;
    if (stopped) return explore::Ending::kStopped;
    return alive_ ? explore::Ending::kStuck : explore::Ending::kComplete;
  }

 private:
  std::vector<std::vector<explore::Access>> accesses_;
  std::vector<explore::Pending> processes_;
  explore::Process running_;
  const std::vector<explore::Access>& event_;
  bool alive_ = false;
  bool enabled_ = false;
};

/// `base` is where its places begin; a run of `most` steps that is not over then is cut.
inline Shown run_once(const Script& script, explore::Explorer& explorer, std::uint64_t base, std::size_t most = 1000) {
  Machine machine(script, base);
  Shown shown;
  explore::Process running = explore::kNobody;
  std::vector<explore::Access> event;
  for (;;) {
    const Stage stage(machine, running, event);
    if (!stage.enabled() || shown.schedule.size() == most) {
      shown.ending = stage.ending(machine.stopped());
      shown.outcome = machine.outcome();
      explorer.end(stage.view(), shown.ending);
      return shown;
    }
    running = explorer.choose(stage.view());
    if (running == explore::kNobody) {
      shown.redundant = true;
      return shown;
    }
    event = machine.step(running);
    shown.schedule.push_back(running);
    shown.events.push_back(event);
  }
}

/// From the definition, apart from what the library says.
inline bool conflict(const explore::Access& one, const explore::Access& other) {
  using explore::Mode;
  const auto timed = [](const explore::Access& each) { return each.mode == Mode::kCall || each.mode == Mode::kReturn; };
  if (timed(one) && timed(other)) return one.mode != other.mode;
  if (timed(one) || timed(other) || (one.mode == Mode::kRead && other.mode == Mode::kRead)) return false;
  return std::max(one.begin, other.begin) < std::min(one.end, other.end);
}

inline bool conflict(const std::vector<explore::Access>& event, const std::vector<explore::Access>& other) {
  for (const explore::Access& mine : event)
    for (const explore::Access& theirs : other)
      if (conflict(mine, theirs)) return true;
  return false;
}

/// The order of dependent steps: equal for two runs if and only if they differ in the order of independent ones alone.
inline std::string trace_of(const Shown& shown) {
  std::map<explore::Process, std::string> told;
  std::vector<std::string> names;
  std::map<explore::Process, int> count;
  for (std::size_t later = 0; later < shown.schedule.size(); ++later) {
    const explore::Process process = shown.schedule[later];
    std::set<std::string> after;
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (shown.schedule[earlier] != process && conflict(shown.events[earlier], shown.events[later]))
        after.insert(names[earlier]);
    for (const std::string& name : after) told[process] += name + " ";
    told[process] += ";";
    names.push_back(std::to_string(process) + "." + std::to_string(count[process]++));
  }
  std::string text;
  for (const auto& [process, order] : told) text += std::to_string(process) + ": " + order + "\n";
  return text;
}

/// What all runs of an explorer showed.
struct Seen {
  std::set<std::string> outcomes;
  std::set<std::string> traces;
  std::set<std::vector<explore::Process>> schedules;
  std::vector<std::uint64_t> preemptions;  ///< of each run
  std::uint64_t runs = 0;                  ///< that came to an end
  bool replays = true;
};

inline bool replays(const Script& script, const Shown& shown, const explore::Explorer& explorer) {
  const auto replay = explore::make_replay(explorer.deviations());
  if (!replay->begin()) return false;
  const Shown again = run_once(script, *replay, 5000);
  return again.schedule == shown.schedule && again.outcome == shown.outcome && !replay->begin() &&
         replay->deviations() == explorer.deviations() && replay->preemptions() == explorer.preemptions() &&
         replay->diverged_at() == explore::Explorer::kNever;
}

/// Shows all that an explorer wants to see, at other places each time; some runs are replayed.
inline Seen explore_all(const Script& script, explore::Explorer& explorer) {
  Seen seen;
  while (explorer.begin()) {
    const std::uint64_t run = explorer.progress().runs;
    const Shown shown = run_once(script, explorer, 1000 + 16 * (run % 7));
    if (shown.redundant) continue;
    ++seen.runs;
    seen.outcomes.insert(shown.outcome);
    seen.traces.insert(trace_of(shown));
    seen.schedules.insert(shown.schedule);
    seen.preemptions.push_back(explorer.preemptions());
    if (run % 5 == 1) seen.replays &= replays(script, shown, explorer);
  }
  return seen;
}

}  // namespace linpoint::tests
