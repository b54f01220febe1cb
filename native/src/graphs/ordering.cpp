// SPDX-License-Identifier: Apache-2.0
#include "graphs/ordering.hpp"

#include <algorithm>
#include <numeric>

namespace linpoint::graphs {

using specs::Effect;

PairEdges::PairEdges(const search::Problem& problem, Rules rules, const histories::Columns& columns) {
  std::vector<search::Pair> pairs = problem.before;
  for (const search::Pair& pair : problem.excluded) {
    if (rules == Rules::kPaper) {  // its rule names the very next operation of the process, kept or not
      const std::size_t position = at(problem.position[at(pair.first)]);
      const auto nearer = std::find_if(problem.excluded.begin(), problem.excluded.end(), [&](const search::Pair& each) {
        return each.first == pair.first && each.second < pair.second;
      });
      if (nearer != problem.excluded.end() && !columns.certain(position)) continue;
    }
    pairs.push_back(pair);
  }
  if (pairs.empty()) return;
  after_ = listed(problem.size(), pairs, false);
  before_ = listed(problem.size(), pairs, true);
}

PairEdges::Lists PairEdges::listed(std::size_t size, const std::vector<search::Pair>& pairs, bool reversed) {
  Lists lists{std::vector<std::size_t>(size + 1), std::vector<std::int32_t>(pairs.size())};
  const auto from = [&](const search::Pair& pair) { return at(reversed ? pair.second : pair.first); };
  for (const search::Pair& pair : pairs) ++lists.first[from(pair) + 1];
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  std::vector<std::size_t> next(lists.first.begin(), lists.first.end() - 1);
  for (const search::Pair& pair : pairs) lists.items[next[from(pair)]++] = reversed ? pair.first : pair.second;
  return lists;
}

void explain(Memory& memory, const Explanations& explanations) {
  for (const std::int32_t op : memory.failures())
    for (const VersionCell& cell : memory.cells(op)) {
      memory.version(cell.seen).failed_after = kNone;
      memory.version(cell.seen).failed_before = kNone;
    }
  for (const Option& option : explanations) {
    if (option.cell == kNone) continue;
    VersionCell& cell = memory.cell(option.cell);
    Version& version = memory.version(cell.seen);
    std::int32_t& first = option.before ? version.failed_before : version.failed_after;
    cell.fresh = first;
    first = option.cell;
  }
}

Ordering::Ordering(const Memory& memory, const search::Problem& problem, const PairEdges& pairs,
                   const Explanations& explanations)
    : memory_(memory), problem_(problem), pairs_(pairs), explanations_(explanations) {
  // Ranks of returns are distinct and less than twice the operations, but for those that never come.
  std::vector<std::int32_t> by_rank(2 * problem.size() + 2, kNone);
  std::vector<std::int32_t> never;
  for (std::int32_t op = 0; op < memory.size(); ++op) {
    if (!memory.kept(op)) continue;
    const std::int64_t rank = problem.ret[at(op)];
    if (rank == search::kNever)
      never.push_back(op);
    else
      by_rank[static_cast<std::size_t>(rank)] = op;
  }
  by_return_.reserve(problem.size());
  for (const std::int32_t op : by_rank)
    if (op != kNone) by_return_.push_back(op);
  by_return_.insert(by_return_.end(), never.begin(), never.end());
}

const Option& Ordering::explanation(std::int32_t failed) const {
  const auto& failures = memory_.failures();
  const auto found = std::lower_bound(failures.begin(), failures.end(), failed);
  return explanations_[static_cast<std::size_t>(found - failures.begin())];
}

/// Counts the predecessors of all operations; those without any are ready.
void Ordering::count() {
  pending_.assign(at(memory_.size()), 0);
  for (std::int32_t op = 0; op < memory_.size(); ++op) {
    if (!memory_.kept(op)) continue;
    std::int32_t& mine = pending_[at(op)];
    if (memory_.effect(op) != Effect::kFails) {
      const bool replaces = memory_.replaces(op);
      for (const VersionCell& cell : memory_.cells(op)) {
        const Version& seen = memory_.version(cell.seen);
        mine += (seen.writer >= 0 ? 1 : 0) + (replaces ? seen.reader_count : 0);
      }
    }
    for (const std::int32_t other : pairs_.before(op)) mine += memory_.kept(other) ? 1 : 0;
  }
  for (const Option& option : explanations_) {
    if (option.cell == kNone) continue;
    const VersionCell& cell = memory_.cell(option.cell);
    const std::int32_t later = option.before ? memory_.version(cell.seen).writer : cell.operation;
    if (memory_.kept(later)) ++pending_[at(later)];
  }
  for (std::int32_t op = 0; op < memory_.size(); ++op)
    if (memory_.kept(op) && pending_[at(op)] == 0) ready_.push(op);
}

void Ordering::arrive(std::int32_t operation) {
  if (--pending_[at(operation)] == 0) ready_.push(operation);
}

void Ordering::place(std::int32_t operation) {
  placed_[at(operation)] = true;
  order_.push_back(operation);
  for (const std::int32_t other : pairs_.after(operation))
    if (memory_.kept(other)) arrive(other);
  if (memory_.effect(operation) == Effect::kFails) {
    const Option& mine = explanation(operation);
    if (mine.cell == kNone || !mine.before || ignored(operation)) return;
    const std::int32_t writer = memory_.version(memory_.cell(mine.cell).seen).writer;
    if (memory_.kept(writer)) arrive(writer);
    return;
  }
  const bool replaces = memory_.replaces(operation);
  for (const VersionCell& cell : memory_.cells(operation)) {
    const Version& seen = memory_.version(cell.seen);
    if (!replaces) {
      if (seen.replacer != kNone) arrive(seen.replacer);
      continue;
    }
    for (std::int32_t each = seen.failed_after; each != kNone; each = memory_.cell(each).fresh)
      if (!ignored(memory_.cell(each).operation)) arrive(memory_.cell(each).operation);
    const Version& fresh = memory_.version(cell.fresh);
    for (std::int32_t each = fresh.readers; each != kNone; each = memory_.cell(each).fresh)
      arrive(memory_.cell(each).operation);
    if (fresh.replacer != kNone) arrive(fresh.replacer);
  }
}

/// Lets a failed operation be without an explanation.
void Ordering::ignore(std::int32_t failed) {
  ignored_.resize(at(memory_.size()));
  ignored_[at(failed)] = true;
  const Option& mine = explanation(failed);
  arrive(mine.before ? memory_.version(memory_.cell(mine.cell).seen).writer : failed);
}

/// Visits the predecessors of an operation that are not placed.
template <typename Visit>
void Ordering::predecessors(std::int32_t operation, const Visit& visit) const {
  const auto meet = [&](std::int32_t other, Because because, std::int32_t version) {
    if (waits(other)) visit(other, because, version);
  };
  for (const std::int32_t other : pairs_.before(operation)) meet(other, Because::kTime, kNone);
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
    for (std::int32_t each = memory_.version(cell.fresh).failed_before; each != kNone; each = memory_.cell(each).fresh)
      if (!ignored(memory_.cell(each).operation))
        meet(memory_.cell(each).operation, Because::kFailedBefore, cell.fresh);
  }
}

/// The shortest way back from an operation over predecessors that are not placed to one that `found` takes.
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
  const std::int64_t deadline = problem_.ret[at(overdue)];
  Circle late = back(overdue, [&](std::int32_t other) { return problem_.call[at(other)] > deadline; });
  if (!late.steps.empty()) {
    late.steps.insert(late.steps.begin(), {overdue, Because::kTime, kNone});
    return late;
  }
  // Everyone on the way back waits for somebody: sooner or later for one that was met before.
  std::vector<bool> met(at(memory_.size()));
  std::int32_t here = overdue;
  while (!met[at(here)]) {
    met[at(here)] = true;
    std::int32_t before = kNone;
    predecessors(here, [&](std::int32_t other, Because, std::int32_t) { before = other; });
    here = before;
  }
  return back(here, [&](std::int32_t other) { return other == here; });
}

Ordering::Answer Ordering::run(const Stuck& stuck, search::StopToken& stop) {
  constexpr std::size_t kPollEvery = 4096;
  placed_.assign(at(memory_.size()), false);
  order_.reserve(by_return_.size());
  count();
  std::size_t least = 0;
  while (order_.size() < by_return_.size()) {
    if (order_.size() % kPollEvery == 0 && stop.poll()) return Answer::kStopped;
    while (placed_[at(by_return_[least])]) ++least;
    const std::int32_t overdue = by_return_[least];
    if (ready_.empty() || problem_.ret[at(overdue)] < problem_.call[at(ready_.top())]) {
      const std::int32_t failed = stuck(circle(overdue));
      if (failed == kNone) return Answer::kStuck;
      ignore(failed);
      continue;
    }
    const std::int32_t next = ready_.top();
    ready_.pop();
    place(next);
  }
  return ignored_.empty() ? Answer::kOrdered : Answer::kStuck;
}

}  // namespace linpoint::graphs
