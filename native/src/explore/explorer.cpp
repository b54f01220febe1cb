// SPDX-License-Identifier: Apache-2.0
#include "linpoint/explore/explorer.hpp"

#include "explore/runnable_choice.hpp"

namespace linpoint::explore {

namespace {

bool of_the_clock(Mode mode) { return mode == Mode::kCall || mode == Mode::kReturn; }

}  // namespace

bool dependent(const Access& one, const Access& other) {
  if (of_the_clock(one.mode) || of_the_clock(other.mode))
    return of_the_clock(one.mode) && of_the_clock(other.mode) && one.mode != other.mode;
  if (one.mode == Mode::kRead && other.mode == Mode::kRead) return false;
  // An empty range contains no byte, but may lie between the ends of another one.
  return one.begin < other.end && other.begin < one.end && one.begin < one.end && other.begin < other.end;
}

bool dependent(std::span<const Access> one, std::span<const Access> other) {
  for (const Access& mine : one)
    for (const Access& theirs : other)
      if (dependent(mine, theirs)) return true;
  return false;
}

Process default_choice(const View& view) {
  return default_among(view, [](Process) { return true; });
}

bool preempts(const View& view, Process next) {
  if (next >= view.processes.size() || next == default_choice(view)) return false;
  return view.processes[next].yields || (can_go(view, view.running) && !view.processes[view.running].yields);
}

bool Explorer::begin() {
  if (!begin_run()) return false;
  deviations_.clear();
  step_ = 0;
  preemptions_ = 0;
  ++progress_.runs;
  return true;
}

Process Explorer::choose(const View& view) {
  const Process next = choose_next(view);
  if (next == kNobody) {
    ++progress_.redundant;
    return kNobody;
  }
  if (next != default_choice(view)) deviations_.push_back({step_, next});
  if (preempts(view, next)) ++preemptions_;
  ++step_;
  ++progress_.steps;
  return next;
}

void Explorer::end(const View& view, Ending ending) {
  if (ending == Ending::kCut) ++progress_.cut;
  end_run(view, ending);
}

}  // namespace linpoint::explore
