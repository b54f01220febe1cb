// SPDX-License-Identifier: Apache-2.0
#include "graphs/topological_order.hpp"

#include <algorithm>

namespace linpoint::graphs {

using specs::Effect;

Ordering::Ordering(Memory& memory, const Timing& timing, const Explanations& explanations)
    : memory_(memory), timing_(timing), explanations_(explanations) {
  for (const Option& each : explanations)
    if (each.cell != kNone && each.before) {
      const VersionCell& cell = memory.cell(each.cell);
      failed_before_[cell.seen].push_back(cell.operation);
    }
  // Ranks of returns are distinct and less than twice the number of operations, except for returns that never come.
  std::vector<std::int32_t> by_rank(2 * timing.call.size() + 2, kNone);
  std::vector<std::int32_t> never;
  for (std::int32_t op = 0; op < memory.size(); ++op) {
    if (!memory.kept(op)) continue;
    const std::int64_t rank = timing.ret[at(op)];
    if (rank == search::kNever)
      never.push_back(op);
    else
      by_rank[static_cast<std::size_t>(rank)] = op;
  }
  by_return_.reserve(timing.call.size());
  for (const std::int32_t op : by_rank)
    if (op != kNone) by_return_.push_back(op);
  by_return_.insert(by_return_.end(), never.begin(), never.end());
}

const Option& Ordering::explanation(std::int32_t failed) const {
  const auto& failures = memory_.failures();
  const auto found = std::lower_bound(failures.begin(), failures.end(), failed);
  return explanations_[static_cast<std::size_t>(found - failures.begin())];
}

/// A predecessor that is not yet placed; kNone if all are.
std::int32_t Ordering::first_before(std::int32_t operation) {
  for (const std::int32_t other : timing_.pairs.before(operation))
    if (waits(other)) return other;
  if (memory_.effect(operation) == Effect::kFails) {
    const Option& mine = explanation(operation);
    if (mine.cell == kNone || mine.before || ignored(operation)) return kNone;
    const std::int32_t replacer = memory_.version(memory_.cell(mine.cell).seen).replacer;
    return placed(replacer) ? kNone : replacer;
  }
  const bool replaces = memory_.replaces(operation);
  for (const VersionCell& cell : memory_.cells(operation)) {
    const Version& seen = memory_.version(cell.seen);
    if (seen.writer >= 0 && !placed(seen.writer)) return seen.writer;
    if (!replaces || seen.unplaced == 0) continue;
    if (const std::int32_t reader = unplaced_reader(cell.seen); reader != kNone) return reader;
  }
  return replaces && !failed_before_.empty() ? first_failed_before(operation) : kNone;
}

/// A reader that is not yet placed. A reader that was skipped once stays placed.
std::int32_t Ordering::unplaced_reader(std::int32_t version) {
  std::int32_t& next = next_reader_.try_emplace(version, memory_.version(version).readers).first->second;
  while (next != kNone && placed(memory_.cell(next).operation)) next = memory_.cell(next).fresh;
  return next == kNone ? kNone : memory_.cell(next).operation;
}

std::int32_t Ordering::first_failed_before(std::int32_t operation) const {
  for (const VersionCell& cell : memory_.cells(operation))
    for (const std::int32_t failed : failed_before(cell.fresh))
      if (!placed(failed) && !ignored(failed)) return failed;
  return kNone;
}

void Ordering::place(std::int32_t operation) {
  states_[at(operation)] = State::kPlaced;
  order_.push_back(operation);
  if (memory_.effect(operation) != Effect::kSees) return;
  for (const VersionCell& cell : memory_.cells(operation)) --memory_.version(cell.seen).unplaced;
}

/// Places an operation that returns now, after all its predecessors. False: one of them is called only later, or waits
/// for itself.
bool Ordering::place_after_others(std::int32_t operation) {
  const std::int64_t deadline = timing_.ret[at(operation)];
  asked_.push_back(operation);
  states_[at(operation)] = State::kAsked;
  while (!asked_.empty()) {
    const std::int32_t here = asked_.back();
    const std::int32_t other = first_before(here);
    if (other == kNone) {
      place(here);
      asked_.pop_back();
      continue;
    }
    if (states_[at(other)] == State::kAsked || timing_.call[at(other)] > deadline) {
      in_circle_ = states_[at(other)] == State::kAsked ? other : kNone;
      for (const std::int32_t each : asked_) states_[at(each)] = State::kWaiting;
      asked_.clear();
      return false;
    }
    asked_.push_back(other);
    states_[at(other)] = State::kAsked;
  }
  return true;
}

/// Visits the predecessors of an operation that are not yet placed.
template <typename Visit>
void Ordering::predecessors(std::int32_t operation, const Visit& visit) const {
  const auto meet = [&](std::int32_t other, Because because, std::int32_t version) {
    if (waits(other)) visit(other, because, version);
  };
  for (const std::int32_t other : timing_.pairs.before(operation)) meet(other, Because::kTime, kNone);
  if (memory_.effect(operation) == Effect::kFails) {
    const Option& mine = explanation(operation);
    if (mine.cell == kNone || mine.before || ignored(operation)) return;
    const std::int32_t version = memory_.cell(mine.cell).seen;
    meet(memory_.version(version).replacer, Because::kFailedAfter, version);
    return;
  }
  for (const VersionCell& cell : memory_.cells(operation)) {
    const Version& seen = memory_.version(cell.seen);
    if (seen.writer >= 0) meet(seen.writer, Because::kReadsFrom, cell.seen);
    if (!memory_.replaces(operation)) continue;
    for (std::int32_t each = seen.readers; each != kNone; each = memory_.cell(each).fresh)
      meet(memory_.cell(each).operation, Because::kReplaced, cell.seen);
    for (const std::int32_t failed : failed_before(cell.fresh))
      if (!ignored(failed)) meet(failed, Because::kFailedBefore, cell.fresh);
  }
}

/// The shortest path back from an operation over unplaced predecessors to one that `found` accepts.
template <typename Found>
Circle Ordering::back(std::int32_t from, const Found& found) const {
  std::unordered_map<std::int32_t, std::pair<Circle::Step, std::int32_t>> way;  // a step, and where it leads
  std::vector<std::int32_t> queue{from};
  Circle circle;
  for (std::size_t next = 0; next < queue.size() && circle.steps.empty(); ++next) {
    const std::int32_t here = queue[next];
    predecessors(here, [&](std::int32_t other, Because because, std::int32_t version) {
      if (!circle.steps.empty()) return;
      const Circle::Step step{other, because, version};
      if (found(other)) {
        circle.steps.push_back(step);
        for (std::int32_t on = here; on != from; on = way.at(on).second) circle.steps.push_back(way.at(on).first);
        return;
      }
      if (other != from && way.try_emplace(other, step, here).second) queue.push_back(other);
    });
  }
  return circle;
}

/// Why an operation cannot be placed in time, or at all.
Circle Ordering::circle(std::int32_t overdue) const {
  if (in_circle_ != kNone) return back(in_circle_, [&](std::int32_t other) { return other == in_circle_; });
  const std::int64_t deadline = timing_.ret[at(overdue)];
  Circle late = back(overdue, [&](std::int32_t other) { return timing_.call[at(other)] > deadline; });
  late.steps.insert(late.steps.begin(), {overdue, Because::kTime, kNone});
  return late;
}

Ordering::Answer Ordering::run(const Stuck& stuck, search::StopToken& stop) {
  constexpr std::size_t kPollEvery = 4096;
  states_.assign(at(memory_.size()), State::kWaiting);
  order_.reserve(by_return_.size());
  memory_.unplace_readers();
  for (std::size_t next = 0; next < by_return_.size();) {
    if (next % kPollEvery == 0 && stop.poll()) return Answer::kStopped;
    const std::int32_t operation = by_return_[next];
    if (placed(operation) || place_after_others(operation)) {
      ++next;
      continue;
    }
    const std::int32_t failed = stuck(circle(operation));
    if (failed == kNone) return Answer::kStuck;
    ignored_.resize(at(memory_.size()));
    ignored_[at(failed)] = true;
  }
  return ignored_.empty() ? Answer::kOrdered : Answer::kStuck;
}

}  // namespace linpoint::graphs
