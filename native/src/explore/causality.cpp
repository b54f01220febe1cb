// SPDX-License-Identifier: Apache-2.0
#include "explore/causality.hpp"

#include <algorithm>
#include <functional>

#include "hashing.hpp"

namespace linpoint::explore {

namespace {

bool on_the_clock(const Access& access) { return access.mode == Mode::kCall || access.mode == Mode::kReturn; }

bool is_plain(const Access& access) { return access.mode == Mode::kRead || access.mode == Mode::kWrite; }

bool acquires(std::span<const Access> accesses) {
  return std::any_of(accesses.begin(), accesses.end(), [](const Access& each) { return each.mode == Mode::kAcquire; });
}

/// What an earlier step did to the resource that a waiting step needs.
struct Relation {
  bool released = false;  ///< it released what is acquired
  bool taken = false;     ///< it did something else with it, for example acquired it too
};

Relation relation(std::span<const Access> earlier, std::span<const Access> later) {
  Relation found;
  const bool locks = acquires(later);
  for (const Access& mine : later) {
    if (locks ? mine.mode != Mode::kAcquire : on_the_clock(mine)) continue;
    for (const Access& theirs : earlier) {
      if (!dependent(theirs, mine)) continue;
      const bool needed = theirs.mode == Mode::kRelease && mine.mode == Mode::kAcquire;
      (needed ? found.released : found.taken) = true;
    }
  }
  return found;
}

}  // namespace

bool Causality::depend(Process one, const Access& done, Process other, const Access& wanted) const {
  if (!dependent(done, wanted)) return false;
  return one >> family_bits_ != other >> family_bits_ || one == other || !is_plain(done) || !is_plain(wanted);
}

bool Causality::depend(Process one, std::span<const Access> accesses, Process other,
                       std::span<const Access> others) const {
  for (const Access& mine : accesses)
    for (const Access& theirs : others)
      if (depend(one, mine, other, theirs)) return true;
  return false;
}

void Causality::restart(Step states) {
  states_ = states;
  processes_.clear();
  accesses_.clear();
  owners_.clear();
  done_.clear();
  ends_.clear();
  places_.clear();
  std::fill(last_.begin(), last_.end(), 0);
  std::fill(calls_.begin(), calls_.end(), 0);
  std::fill(returns_.begin(), returns_.end(), 0);
  born_.assign(born_.size(), false);
}

/// Makes room for clocks of `processes` processes; existing clocks keep their values.
void Causality::widen(std::size_t processes) {
  if (processes <= width_) return;
  const std::size_t width = std::max(processes, 2 * width_);
  std::vector<Step> clocks(width_ == 0 ? 0 : clocks_.size() / width_ * width);
  for (std::size_t row = 0; row * width < clocks.size(); ++row)
    std::copy_n(clocks_.data() + row * width_, width_, clocks.data() + row * width);
  clocks_ = std::move(clocks);
  width_ = width;
  for (std::vector<Step>* each : {&last_, &calls_, &returns_, &plain_, &needed_, &full_}) each->resize(width);
  born_.resize(width);
}

bool Causality::arrive(const View& view) {
  widen(view.processes.size());
  for (Process process = 0; process < view.processes.size(); ++process) {
    if (!view.processes[process].alive || born_[process]) continue;
    born_[process] = true;
    last_[process] = steps();
  }
  if (enabled_.size() == steps()) {
    enabled_.emplace_back();
    useful_.emplace_back();
  }
  if (steps() >= states_) {
    collect_enabled(view, enabled_[steps()]);
    collect_useful(view, useful_[steps()]);
    return true;
  }
  collect_enabled(view, present_);
  const bool same = present_ == enabled_[steps()];
  if (!same) enabled_[steps()] = useful_[steps()] = present_;
  return same;
}

std::span<const Access> Causality::accesses(Step step) const {
  const std::size_t begin = step == 0 ? 0 : ends_[step - 1];
  return std::span(accesses_).subspan(begin, ends_[step] - begin);
}

void Causality::join(std::vector<Step>& clock, Step step) const {
  const Step* other = this->clock(step);
  for (std::size_t process = 0; process < width_; ++process) clock[process] = std::max(clock[process], other[process]);
}

void Causality::add(Process process, std::span<const Access> event, std::size_t done) {
  const Step step = steps();
  widen(process + std::size_t{1});
  if (step + 1 >= states_) {
    relate(process, event);
    keep_clock(process, step);
    keep_mark(process, step, event.first(done));
  }
  for (const Access& access : event) {
    done_.push_back(done > 0);
    if (done > 0) --done;
    if (access.mode == Mode::kCall)
      calls_[process] = step + 1;
    else if (access.mode == Mode::kReturn)
      returns_[process] = step + 1;
    else if (access.begin < access.end)
      places_.add(access, static_cast<std::uint32_t>(accesses_.size()));
    accesses_.push_back(access);
    owners_.push_back(step);
  }
  ends_.push_back(accesses_.size());
  processes_.push_back(process);
  last_[process] = step + 1;
}

void Causality::keep_clock(Process process, Step step) {
  if (clocks_.size() < (step + std::size_t{1}) * width_) clocks_.resize((step + std::size_t{1}) * width_);
  Step* clock = clocks_.data() + step * width_;
  std::copy_n(full_.data(), width_, clock);
  clock[process] = step + 1;
}

std::uint64_t Causality::standing(Process process, std::span<const Access> pending) const {
  const bool began = process < width_ && last_[process] != 0;
  std::uint64_t number = mix(process + std::uint64_t{1}) ^ (began ? marks_[last_[process] - 1] : 0);
  for (const Access& access : pending)
    number = mix(number ^ (static_cast<std::uint64_t>(access.mode) + 8 * (access.end - access.begin)));
  return mix(number + 1);
}

void Causality::keep_mark(Process process, Step step, std::span<const Access> done) {
  writers_.clear();
  for (const Access& access : done) {
    if (on_the_clock(access) || access.begin >= access.end) continue;
    places_.each(access, static_cast<std::uint32_t>(accesses_.size()), [&](std::uint32_t number) {
      const Access& earlier = accesses_[number];
      const Step writer = owners_[number];
      if (!done_[number] || earlier.mode == Mode::kRead || !depend(processes_[writer], earlier, process, access))
        return true;
      writers_.push_back(writer);
      return earlier.begin > access.begin || access.end > earlier.end;
    });
  }
  std::sort(writers_.begin(), writers_.end());
  writers_.erase(std::unique(writers_.begin(), writers_.end()), writers_.end());
  std::uint64_t number = standing(process, done);
  for (const Step writer : writers_) number += mix(marks_[writer]);
  if (marks_.size() <= step) marks_.resize(step + std::size_t{1});
  marks_[step] = mix(number);
}

/// Earlier steps of other processes that depend on a step of this process, except some that happen before others of
/// them.
void Causality::collect(Process process, std::span<const Access> accesses) {
  candidates_.clear();
  for (const Access& access : accesses) collect(process, access);
  std::sort(candidates_.begin(), candidates_.end(), std::greater<>());
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
}

void Causality::collect(Process process, const Access& access) {
  if (on_the_clock(access)) {
    // The last step of each process suffices: earlier ones happen before it.
    const std::vector<Step>& others = access.mode == Mode::kCall ? returns_ : calls_;
    for (Process other = 0; other < width_; ++other)
      if (other != process && others[other] != 0) candidates_.push_back(others[other] - 1);
    return;
  }
  if (access.begin >= access.end) return;
  Process writer = kNobody;  ///< the family of the last write that covers the place
  places_.each(access, static_cast<std::uint32_t>(accesses_.size()), [&](std::uint32_t number) {
    const Access& earlier = accesses_[number];
    const Step step = owners_[number];
    if (!depend(processes_[step], earlier, process, access)) return true;
    if (processes_[step] != process) candidates_.push_back(step);
    // Every access before such a write happens before the write, and is hidden by it if the write hides anything. Reads
    // by the writer's own family need not happen before it, but do happen before a second write of another family, or
    // the other way round: a thread reads its own store, the store reaches memory, and then another thread stores
    // there, which could have come before the read too.
    const bool covers = earlier.mode != Mode::kRead && earlier.begin <= access.begin && access.end <= earlier.end;
    const bool needed = earlier.mode == Mode::kRelease && access.mode == Mode::kAcquire;
    if (!covers || needed || waited(process, step)) return true;
    if (family_bits_ == 0 || !is_plain(earlier)) return false;
    const Process family = processes_[step] >> family_bits_;
    if (writer == kNobody) writer = family;
    return writer == family;
  });
}

void Causality::relate(Process process, std::span<const Access> accesses) {
  races_.clear();
  related_ = steps();
  if (last_[process] == 0)
    std::fill(plain_.begin(), plain_.end(), 0);
  else
    std::copy_n(clock(last_[process] - 1), width_, plain_.begin());
  full_ = plain_;
  needed_ = plain_;
  const bool locks = acquires(accesses);
  const bool stuck = !useful_[related_].contains(process);
  collect(process, accesses);
  for (const Step step : candidates_) {
    if (knows(plain_.data(), step)) continue;
    const bool hidden = knows(needed_.data(), step);
    join(full_, step);
    const bool waits = waited(process, step);
    if (locks || waits) {
      const Relation found = relation(this->accesses(step), accesses);
      if (found.released || ((hidden || (waits && stuck)) && !found.taken)) {
        join(needed_, step);
        continue;
      }
    }
    races_.push_back(step);
    if (!waits) join(plain_, step);
  }
}

}  // namespace linpoint::explore
