// SPDX-License-Identifier: Apache-2.0
// What monitors are made of, against naive models.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

#include "monitors/interval_trees.hpp"
#include "monitors/intervals.hpp"
#include "monitors/register.hpp"
#include "tests/monitors/monitored_history.hpp"
#include "tests/search/small_problems.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using linpoint::monitors::Access;
using linpoint::monitors::Act;
using linpoint::monitors::at;
using linpoint::monitors::GapSet;
using linpoint::monitors::insert_differing;
using linpoint::monitors::Interval;
using linpoint::monitors::intervals_of;
using linpoint::monitors::LeastCount;
using linpoint::monitors::Reaching;
using linpoint::monitors::Status;

// Trees

void the_least_count_is_that_of_a_plain_array() {
  Dice dice(71);
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 2, 3, 7, 8, 9, 33, 100}) {
    std::vector<std::int32_t> counts(size);
    for (auto& each : counts) each = number(dice.pick(4));
    LeastCount tree(counts);
    std::vector<bool> gone(size);
    std::size_t left = size;
    while (left > 0 && !hopeless()) {
      std::int32_t least = LeastCount::kGone;
      for (std::size_t i = 0; i < size; ++i)
        if (!gone[i]) least = std::min(least, counts[i]);
      EXPECT(tree.least() == least);
      const std::size_t place = tree.place();
      EXPECT(place < size && !gone[place] && counts[place] == least);
      if (dice.one_in(3)) {
        tree.remove(place);
        gone[place] = true;
        --left;
        continue;
      }
      const std::size_t first = dice.pick(size);
      const std::size_t last = first + dice.pick(size - first);
      const std::int32_t amount = dice.one_in(2) ? 1 : -1;
      tree.add(first, last, amount);
      for (std::size_t i = first; i <= last; ++i) counts[i] += amount;
    }
  }
}

void what_reaches_a_point_is_found_as_by_a_walk() {
  Dice dice(72);
  for (int round = 0; round < 60 && !hopeless(); ++round) {
    std::vector<std::int32_t> ends(1 + dice.pick(70));
    for (auto& each : ends) each = number(dice.pick(40));
    Reaching tree(ends);
    for (int step = 0; step < 100; ++step) {
      const std::size_t first = dice.pick(ends.size() + 1);
      const std::size_t end = dice.pick(ends.size() + 1);
      const std::int32_t point = number(dice.pick(42));
      std::size_t expected = Reaching::kNowhere;
      for (std::size_t i = first; i < end && expected == Reaching::kNowhere; ++i)
        if (ends[i] >= point) expected = i;
      EXPECT(tree.find(first, end, point) == expected);
      if (dice.one_in(3)) {
        const std::size_t place = dice.pick(ends.size());
        tree.remove(place);
        ends[place] = -1;
      }
    }
  }
}

void neighbours_in_a_set_of_gaps_are_those_of_a_sorted_set() {
  Dice dice(73);
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 63, 64, 65, 128, 4096, 4097, 5000}) {
    GapSet gaps(size);
    std::set<std::size_t> plain;
    for (int step = 0; step < 300 && !hopeless(); ++step) {
      const std::size_t gap = dice.pick(size);
      if (dice.one_in(4)) {
        gaps.insert(gap);
        plain.insert(gap);
      }
      const auto next = plain.lower_bound(gap);
      EXPECT(gaps.from(gap) == (next == plain.end() ? GapSet::kNothing : number(*next)));
      const auto after = plain.upper_bound(gap);
      EXPECT(gaps.up_to(gap) == (after == plain.begin() ? GapSet::kNothing : number(*std::prev(after))));
    }
  }
}

// Intervals

/// A problem of operations with these ranks of calls and returns, by call; kNever makes one optional.
Problem problem_of(std::vector<std::pair<std::int64_t, std::int64_t>> ranks) {
  std::sort(ranks.begin(), ranks.end());
  Problem problem;
  for (const auto& [call, ret] : ranks) {
    problem.position.push_back(number(problem.size()));
    problem.call.push_back(call);
    problem.ret.push_back(ret);
    problem.optional.push_back(ret == kNever ? 1 : 0);
  }
  return problem;
}

/// Operations that take effect one after the other, each stretched to both sides.
Problem stretched(Dice& dice, std::size_t size, std::size_t most) {
  std::vector<std::pair<std::size_t, std::size_t>> events;  // time, and which event
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t point = 10 * i + 1000;
    events.emplace_back(point - dice.pick(most), 2 * i);
    events.emplace_back(point + 1 + dice.pick(most), 2 * i + 1);
  }
  std::sort(events.begin(), events.end());
  std::vector<std::pair<std::int64_t, std::int64_t>> ranks(size);
  for (std::size_t rank = 0; rank < events.size(); ++rank)
    (events[rank].second % 2 == 0 ? ranks[events[rank].second / 2].first : ranks[events[rank].second / 2].second) =
        static_cast<std::int64_t>(rank);
  Problem problem;
  for (const auto& [call, ret] : ranks) {  // not by call, but nothing here asks for that
    problem.position.push_back(number(problem.size()));
    problem.call.push_back(call);
    problem.ret.push_back(ret);
    problem.optional.push_back(0);
  }
  return problem;
}

void gaps_lie_behind_runs_of_calls() {
  std::int32_t gaps = 0;
  // call call return call return, and one that never returns
  const auto owns = intervals_of(problem_of({{0, 2}, {1, 4}, {3, kNever}}), 5, gaps);
  EXPECT(owns[0].first == 5 && owns[0].last == 5);
  EXPECT(owns[1].first == 5 && owns[1].last == 6);
  EXPECT(owns[2].first == 6 && owns[2].last == 7);
  EXPECT(gaps == 8);
  EXPECT(intervals_of(problem_of({}), 3, gaps).empty() && gaps == 4);
}

void intervals_precede_as_operations_do() {
  Dice dice(74);
  for (int round = 0; round < 50 && !hopeless(); ++round) {
    Problem problem = stretched(dice, 2 + dice.pick(20), 60);
    for (auto& ret : problem.ret)
      if (dice.one_in(5)) ret = kNever;
    std::int32_t gaps = 0;
    const auto owns = intervals_of(problem, 2, gaps);
    for (std::size_t a = 0; a < owns.size(); ++a) {
      EXPECT(owns[a].first >= 2 && owns[a].first <= owns[a].last && owns[a].last < gaps);
      EXPECT((problem.ret[a] == kNever) == (owns[a].last == gaps - 1));
      for (std::size_t b = 0; b < owns.size(); ++b)
        EXPECT(owns[a].precedes(owns[b]) == (problem.ret[a] < problem.call[b]));
    }
  }
}

// Who saw that something differed

/// Places of operations that saw another value, in an order of writes with these intervals; empty if none fits.
Positions inserted(const std::vector<Interval>& writes, const std::vector<std::pair<std::int32_t, Interval>>& saw) {
  Positions order;
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    order.push_back(number(i));
    values.push_back(number(i) + 1);  // the i-th write makes it i + 1; at first it is 0
  }
  std::vector<Access> differing;
  differing.reserve(saw.size());
  for (const auto& [old, owns] : saw)
    differing.push_back({Act::kDiffers, false, 100 + number(differing.size()), old, kNone, owns});
  return insert_differing(differing, writes, 0, values, order) ? order : Positions{};
}

void who_saw_another_value_is_put_where_it_fits() {
  const std::vector<Interval> writes{{0, 2}, {2, 4}, {6, 6}};
  EXPECT((inserted(writes, {}) == Positions{0, 1, 2}));
  EXPECT((inserted(writes, {{5, {0, 0}}}) == Positions{100, 0, 1, 2}));
  EXPECT((inserted(writes, {{0, {0, 0}}}) == Positions{0, 100, 1, 2}));
  EXPECT((inserted(writes, {{1, {0, 2}}}) == Positions{100, 0, 1, 2}));
  EXPECT((inserted(writes, {{1, {3, 3}}}) == Positions{0, 1, 100, 2}));
  EXPECT(inserted(writes, {{2, {5, 5}}}).empty());
  EXPECT((inserted(writes, {{2, {5, 6}}}) == Positions{0, 1, 2, 100}));
  EXPECT((inserted(writes, {{3, {7, 9}}}).empty()));
  EXPECT((inserted(writes, {{0, {3, 3}}, {5, {4, 4}}}) == Positions{0, 100, 101, 1, 2}));
  // The second was called when the first had returned, so it does not come before it.
  EXPECT((inserted({{0, 5}, {0, 5}}, {{1, {0, 1}}, {5, {2, 3}}}) == Positions{100, 101, 0, 1}));
  EXPECT((inserted({{0, 5}, {0, 5}}, {{0, {0, 1}}, {5, {2, 3}}}) == Positions{0, 100, 101, 1}));
}

// Priority queues of some size: gaps that are closed one by one

struct Handled {
  bool inserts;
  std::int32_t value;
};

/// Inserts and removals of so many values that a priority queue allows one after the other.
std::vector<Handled> legal_run(Dice& dice, std::size_t values) {
  std::vector<std::int32_t> waiting(values);
  for (std::size_t i = 0; i < values; ++i) waiting[i] = number(i) + kA;
  dice.shuffle(waiting);
  std::set<std::int32_t> inside;
  std::vector<Handled> run;
  while (!waiting.empty() || !inside.empty()) {
    const bool inserts = inside.empty() || (!waiting.empty() && dice.one_in(2));
    run.push_back({inserts, inserts ? waiting.back() : *inside.rbegin()});
    if (inserts) {
      inside.insert(waiting.back());
      waiting.pop_back();
    } else {
      inside.erase(std::prev(inside.end()));
    }
  }
  return run;
}

/// Whether every removal owns a gap in which nothing larger is certainly inside.
bool each_has_a_gap(const std::vector<Handled>& run, const std::vector<Interval>& owns, std::int32_t gaps) {
  std::vector<Interval> added(run.size() + kA);
  std::vector<Interval> removed(run.size() + kA);
  for (std::size_t i = 0; i < run.size(); ++i) (run[i].inserts ? added : removed)[at(run[i].value)] = owns[i];
  const auto closed = [&](std::size_t low, std::int32_t gap) {
    for (std::size_t high = low + 1; high < kA + run.size() / 2; ++high)
      if (added[high].last < gap && gap < removed[high].first) return true;
    return false;
  };
  for (std::size_t low = kA; low < kA + run.size() / 2; ++low) {
    std::int32_t gap = std::max(removed[low].first, added[low].first);
    while (gap <= removed[low].last && closed(low, gap)) ++gap;
    if (gap > removed[low].last || gap >= gaps) return false;
  }
  return true;
}

/// Whether the order leaves nothing behind that had returned.
bool respects(const Problem& problem, const Positions& order) {
  std::int64_t latest = -1;
  for (const std::int32_t op : order) {
    latest = std::max(latest, problem.call[at(op)]);
    if (problem.ret[at(op)] <= latest) return false;
  }
  return true;
}

void large_priority_queues_are_decided_as_by_looking_at_every_gap() {
  Dice dice(75);
  int violations = 0;
  for (int round = 0; round < 120 && !hopeless(); ++round) {
    const std::size_t values = 20 + dice.pick(60);
    std::vector<Handled> run = legal_run(dice, values);
    Handled& one = run[dice.pick(run.size())];
    Handled& other = run[dice.pick(run.size())];
    if (one.inserts == other.inserts && dice.one_in(2)) std::swap(one.value, other.value);
    Recording recording("priority-queue");
    for (std::int64_t i = 0; i < number(values) + kA; ++i) recording.blueprint().integers.push_back(i);
    for (const Handled& each : run)
      each.inserts ? recording.op("insert", {each.value}) : recording.op("delete-max", {}, each.value);
    const Problem problem = stretched(dice, run.size(), 20 + dice.pick(60));
    std::int32_t gaps = 0;
    const auto owns = intervals_of(problem, 0, gaps);
    const bool holds = each_has_a_gap(run, owns, gaps);
    const auto found = recording.decide(problem, {});
    EXPECT(found.status == (holds ? Status::kLinearizable : Status::kViolation));
    EXPECT(!holds || (recording.replayed(found.order, {}) == run.size() && respects(problem, found.order)));
    violations += holds ? 0 : 1;
  }
  EXPECT(violations > 15 && violations < 100);
}

}  // namespace

int main() {
  the_least_count_is_that_of_a_plain_array();
  what_reaches_a_point_is_found_as_by_a_walk();
  neighbours_in_a_set_of_gaps_are_those_of_a_sorted_set();
  gaps_lie_behind_runs_of_calls();
  intervals_precede_as_operations_do();
  who_saw_another_value_is_put_where_it_fits();
  large_priority_queues_are_decided_as_by_looking_at_every_gap();
  return finish();
}
