// SPDX-License-Identifier: Apache-2.0
// How many schedules there are: exact numbers for programs small enough to count by hand, and the explorers' corner
// cases.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "linpoint/explore/schedulers.hpp"
#include "tests/explore/explored_schedules.hpp"
#include "tests/explore/random_programs.hpp"
#include "tests/explore/tiny_programs.hpp"
#include "tests/support/harness.hpp"

namespace {

using namespace linpoint::tests;
using namespace linpoint::explore;
using enum Kind;

constexpr std::size_t kX = 0;
constexpr std::size_t kY = 1;

Instruction read(std::size_t place) { return {kRead, place, 0, false}; }
Instruction write(std::size_t place) { return {kWrite, place, 1, false}; }
Instruction load(std::size_t place) { return {kLoad, place, 0, false}; }
Instruction store(std::size_t place) { return {kStoreNext, place, 0, false}; }
Instruction add(std::size_t place) { return {kFetchAdd, place, 0, false}; }
Instruction set_to(std::size_t place, int value) { return {kCompareAndSet, place, value, false}; }
Instruction lock(std::size_t place) { return {kLock, place, 0, false}; }
Instruction unlock(std::size_t place) { return {kUnlock, place, 0, false}; }
Instruction try_lock(std::size_t place) { return {kTryLock, place, 0, false}; }

Script untimed(std::vector<Thread> threads) {
  Script script{.threads = std::move(threads)};
  script.timed = false;
  return script;
}

Script timed(std::vector<Thread> threads) { return Script{.threads = std::move(threads)}; }

Script held(Script script, std::size_t place) {
  script.permits[place] = 0;
  return script;
}

/// A program, how many classes of schedules it has, and how many schedules.
struct Counted {
  const char* name;
  Script script;
  std::uint64_t traces;
  std::uint64_t schedules;
};

void numbers_are_exact() {
  const Thread increment{{load(kX), store(kX)}};
  const Thread locked{{lock(kX), add(kX), unlock(kX)}};
  const Counted programs[] = {
      {"nothing shared", untimed({{{write(kX)}}, {{write(kY)}}}), 1, 2},
      {"nothing shared, but timed", timed({{{write(kX)}}, {{write(kY)}}}), 2, 2},
      {"atomic counter, 2", untimed({{{add(kX)}}, {{add(kX)}}}), 2, 2},
      {"atomic counter, 3", untimed({{{add(kX)}}, {{add(kX)}}, {{add(kX)}}}), 6, 6},
      {"lost update, 2", untimed({increment, increment}), 4, 6},
      {"lost update, 2, timed", timed({increment, increment}), 4, 6},
      {"lost update, 3", untimed({increment, increment, increment}), 36, 90},
      {"one writer, two readers", untimed({{{write(kX)}}, {{read(kX)}}, {{read(kX)}}}), 4, 6},
      {"store buffering", untimed({{{write(kX), read(kY)}}, {{write(kY), read(kX)}}}), 3, 6},
      {"load buffering", untimed({{{read(kX), write(kY)}}, {{read(kY), write(kX)}}}), 3, 6},
      {"message passing", untimed({{{write(kX), write(kY)}}, {{read(kY), read(kX)}}}), 3, 6},
      {"two writes each", untimed({{{write(kX), write(kY)}}, {{write(kY), write(kX)}}}), 3, 6},
      {
          "independent reads of independent writes",
          untimed({{{write(kX)}}, {{write(kY)}}, {{read(kX), read(kY)}}, {{read(kY), read(kX)}}}),
          15,
          180,
      },
      {"lock, 2", untimed({locked, locked}), 2, 2},
      {"lock, 3", untimed({locked, locked, locked}), 6, 6},
      {
          "two locks in the same order",
          untimed({{{lock(kX), lock(kY), unlock(kY), unlock(kX)}}, {{lock(kX), lock(kY), unlock(kY), unlock(kX)}}}),
          2,
          2,
      },
      {
          "two locks in opposite order",
          untimed({{{lock(kX), lock(kY), unlock(kY), unlock(kX)}}, {{lock(kY), lock(kX), unlock(kX), unlock(kY)}}}),
          3,
          6,
      },
      {"a lock that is not given back", untimed({{{lock(kX)}}, {{lock(kX)}}}), 2, 2},
      {"a lock as a signal", held(untimed({{{write(kY), unlock(kX)}}, {{lock(kX), read(kY)}}}), kX), 1, 1},
      {
          "try-lock",
          untimed({{{lock(kX), unlock(kX)}}, {{try_lock(kX), unlock(kX)}}}),
          3,
          3,
      },
      {"read twice, timed", timed({{{read(kX)}, {read(kX)}}, {{read(kX)}, {read(kX)}}}), 6, 6},
      {"long operations, timed", timed({{{read(kX), read(kX)}}, {{read(kX), read(kX)}}}), 3, 6},
  };
  for (const Counted& program : programs) {
    const int failures_before = failures;
    const auto every = make_bounded(1000);
    const Seen all = explore_all(program.script, *every);
    const auto dpor = make_dpor();
    const Seen reduced = explore_all(program.script, *dpor);
    EXPECT(all.runs == program.schedules);
    EXPECT(all.traces.size() == program.traces);
    EXPECT(reduced.runs == program.traces);
    EXPECT(dpor->progress().redundant == 0);
    EXPECT(reduced.outcomes == all.outcomes);
    if (failures > failures_before) std::printf("in \"%s\"\n", program.name);
  }
}

/// Two set a place to 1 from 0, and one looks: at 0, or behind the first who has set it, before or after the other's
/// attempt, which has only read. That the other one ends with its attempt makes no write of it.
void an_attempt_that_fails_is_a_read_also_at_the_end() {
  Script script = untimed({{{set_to(kX, 1)}}, {{set_to(kX, 1)}}, {{read(kX)}}});
  script.foreseen = false;
  const auto dpor = make_dpor({.whole_places = true});
  EXPECT(explore_all(script, *dpor).outcomes == Oracle(script).all());
  EXPECT(dpor->exhaustive());
  EXPECT(dpor->progress().runs == 4);
}

/// The first thread would stop every run, and so it sleeps in those where it is not first. Whoever waits when all are
/// asleep waits in no other run: what it races with is seen there, or the stop of the last thread never is.
void a_stop_hides_nobody() {
  Script script = untimed(
      {{{{kStopIf, kX, 0, false}}}, {{{kSpawn, 2, 0, false}, lock(kX)}}, {{lock(kX), {kStopIf, kX, 0, false}}}});
  script.spawned[2] = true;
  for (const bool sleep_sets : {true, false}) {
    const auto dpor = make_dpor({.sleep_sets = sleep_sets});
    EXPECT(explore_all(script, *dpor).outcomes == std::set<std::string>({"stopped by 0: 0", "stopped by 2: 0"}));
  }
}

/// Processes that do one thing each, without any state.
struct Strangers {
  std::vector<std::vector<Access>> accesses;

  /// Who went, in this order.
  std::vector<Process> run(Explorer& explorer) const {
    std::vector<Pending> processes(accesses.size());
    for (std::size_t each = 0; each < accesses.size(); ++each) processes[each] = {true, true, false, accesses[each]};
    std::vector<Process> order;
    View view{processes, kNobody, {}};
    while (order.size() < accesses.size()) {
      const Process next = explorer.choose(view);
      if (next == kNobody) return order;
      order.push_back(next);
      processes[next] = {};
      view = {processes, next, accesses[next]};
    }
    explorer.end(view, Ending::kComplete);
    return order;
  }
};

void there_may_be_many_processes() {
  constexpr std::uint64_t kMany = 150;
  Strangers strangers;
  for (std::uint64_t each = 0; each < kMany; ++each)
    strangers.accesses.push_back({{8 * each, 8 * each + 8, Mode::kWrite}});
  for (const std::size_t other : {3U, 70U, 140U}) strangers.accesses[other][0] = {0, 8, Mode::kWrite};
  for (const bool sleep_sets : {true, false}) {
    const auto dpor = make_dpor({.sleep_sets = sleep_sets});
    std::set<std::vector<Process>> orders;
    while (dpor->begin()) {
      std::vector<Process> order;
      for (const Process process : strangers.run(*dpor))
        if (strangers.accesses[process][0].begin == 0) order.push_back(process);
      orders.insert(order);
    }
    EXPECT(orders.size() == 24);
    EXPECT(dpor->progress().redundant == 0);
    EXPECT(dpor->exhaustive());
    if (sleep_sets) EXPECT(dpor->progress().runs == 24);
  }
}

void places_are_ranges() {
  const auto count = [](std::vector<std::vector<Access>> accesses) {
    const Strangers strangers{std::move(accesses)};
    const auto dpor = make_dpor();
    while (dpor->begin()) strangers.run(*dpor);
    return dpor->progress().runs;
  };
  EXPECT(count({{{16, 24, Mode::kWrite}}, {{20, 21, Mode::kRead}}}) == 2);
  EXPECT(count({{{16, 24, Mode::kWrite}}, {{24, 32, Mode::kWrite}}}) == 1);
  EXPECT(count({{{20, 28, Mode::kWrite}}, {{27, 29, Mode::kRead}}}) == 2);
  EXPECT(count({{{16, 4096, Mode::kWrite}}, {{2000, 2001, Mode::kRead}}}) == 2);
  EXPECT(count({{{2000, 2001, Mode::kRead}}, {{16, 4096, Mode::kWrite}}}) == 2);
  EXPECT(count({{{16, 4096, Mode::kRead}}, {{2000, 2001, Mode::kRead}}}) == 1);
  EXPECT(count({{{20, 20, Mode::kWrite}}, {{16, 24, Mode::kWrite}}}) == 1);
  EXPECT(count({{{8, 16, Mode::kWrite}, {80, 88, Mode::kWrite}}, {{80, 88, Mode::kRead}, {8, 16, Mode::kRead}}}) == 2);
  EXPECT(count({{{kClock, kClock, Mode::kCall}}, {{kClock, kClock, Mode::kCall}}}) == 1);
  EXPECT(count({{{kClock, kClock, Mode::kReturn}}, {{kClock, kClock, Mode::kReturn}}}) == 1);
  EXPECT(count({{{kClock, kClock, Mode::kCall}}, {{kClock, kClock, Mode::kReturn}}}) == 2);
  EXPECT(count({{}, {}, {}}) == 1);
  EXPECT(count({}) == 1);
}

void accesses_depend_by_mode_and_place() {
  using enum Mode;
  const Mode modes[] = {Mode::kRead, Mode::kWrite, kAcquire, kRelease};
  for (const Mode one : modes)
    for (const Mode other : modes) {
      EXPECT(dependent({8, 16, one}, {15, 17, other}) == (one != Mode::kRead || other != Mode::kRead));
      EXPECT(!dependent({8, 16, one}, {16, 24, other}));
      EXPECT(!dependent({8, 16, one}, {12, 12, other}) && !dependent({12, 12, one}, {8, 16, other}));
      EXPECT(!dependent({8, 16, one}, {kClock, kClock, kCall}) && !dependent({kClock, kClock, kReturn}, {8, 16, one}));
    }
  const Access call{kClock, kClock, kCall};
  const Access ret{kClock, kClock, kReturn};
  EXPECT(dependent(call, ret) && dependent(ret, call) && !dependent(call, call) && !dependent(ret, ret));
  const std::vector<Access> one{{8, 16, Mode::kRead}, call};
  EXPECT(dependent(one, std::vector<Access>{ret}) && !dependent(one, std::vector<Access>{call}));
  EXPECT(!dependent(one, {}) && !dependent({}, one));
}

void the_default_goes_on() {
  Pending processes[] = {{true, true, false, {}}, {true, true, false, {}}, {true, true, false, {}}};
  const auto usual = [&](Process running) { return default_choice({processes, running, {}}); };
  const auto takes = [&](Process running, Process next) { return preempts({processes, running, {}}, next); };
  EXPECT(usual(kNobody) == 0 && usual(1) == 1);
  EXPECT(takes(1, 2) && !takes(1, 1) && !takes(kNobody, 1));
  processes[1].yields = true;
  EXPECT(usual(1) == 0 && !takes(1, 2));
  processes[0].yields = processes[2].yields = true;
  EXPECT(usual(kNobody) == 0 && usual(0) == 1 && usual(2) == 0);
  processes[0].enabled = processes[2].enabled = false;
  EXPECT(usual(1) == 1 && usual(2) == 1 && !takes(2, 1));
  processes[1].alive = false;
  EXPECT(usual(1) == kNobody);
}

void nothing_is_claimed_of_what_was_cut() {
  const Script script = untimed({{{add(kX), add(kX)}}, {{add(kX), add(kX)}}});
  const std::unique_ptr<BoundedExplorer> bounded = make_bounded(5);
  while (bounded->begin()) run_once(script, *bounded, 1000, 3);
  EXPECT(bounded->completed() == -1 && !bounded->exhaustive());
  const auto dpor = make_dpor();
  while (dpor->begin()) run_once(script, *dpor, 1000, 3);
  EXPECT(!dpor->exhaustive());
  EXPECT(dpor->progress().cut == dpor->progress().runs && dpor->progress().steps == 3 * dpor->progress().runs);

  for (const bool reduced : {true, false}) {
    const std::unique_ptr<Explorer> left = reduced ? make_dpor() : make_bounded(5);
    EXPECT(left->begin());  // and left without an end
    while (left->begin()) run_once(script, *left, 1000);
    EXPECT(!left->exhaustive());
  }
  EXPECT(!make_bounded(-1)->begin());
}

void nothing_is_claimed_before_the_end() {
  const Script script = untimed({{{add(kX)}}, {{add(kX)}}});
  for (const bool reduced : {true, false}) {
    const std::unique_ptr<Explorer> explorer = reduced ? make_dpor() : make_bounded(5);
    for (int run = 0; run < 2; ++run) {
      EXPECT(explorer->begin() && !explorer->exhaustive());
      run_once(script, *explorer, 1000);
      EXPECT(!explorer->exhaustive());
    }
    EXPECT(!explorer->begin() && explorer->exhaustive());
    EXPECT(!explorer->begin() && explorer->exhaustive());
  }
}

void a_replay_that_does_not_fit_says_so() {
  const Script script = held(untimed({{{lock(kX)}}, {{add(kY), add(kY)}}}), kX);
  const auto at = [&](std::vector<Deviation> deviations) {
    const auto replay = make_replay(std::move(deviations));
    EXPECT(replay->begin());
    run_once(script, *replay, 1000);
    return replay->diverged_at();
  };
  EXPECT(at({}) == Explorer::kNever);
  EXPECT(at({{1, 0}}) == 1);  // waits
  EXPECT(at({{1, 9}}) == 1);  // is not there
  EXPECT(at({{7, 1}}) == 2);  // is over before
}

void samples_depend_on_the_seed_alone() {
  const Script script = untimed({{{add(kX), add(kX)}}, {{add(kX), add(kX)}}, {{add(kX), add(kX)}}});
  using Make = std::unique_ptr<Explorer> (*)(std::uint64_t);
  const Make makes[] = {
      [](std::uint64_t seed) { return make_random(seed, 400); },
      [](std::uint64_t seed) { return make_pct(seed, 400, 3); },
      [](std::uint64_t seed) { return make_pos(seed, 400); },
  };
  for (const Make make : makes) {
    const auto order = [&](std::uint64_t seed) {
      const auto explorer = make(seed);
      std::vector<std::vector<Process>> schedules;
      while (explorer->begin()) schedules.push_back(run_once(script, *explorer, 1000).schedule);
      return schedules;
    };
    const auto first = order(1);
    EXPECT(first == order(1));
    EXPECT(first != order(2));
    // Six of the ninety schedules have no preemption; two changes of priority show most of the others as well.
    EXPECT(std::set(first.begin(), first.end()).size() > 40);
  }
}

/// A thread with the highest priority that yields must let others go, or it would wait for ever.
void whoever_yields_is_let_wait() {
  Script script = untimed({{{write(kX)}}, {{}}});
  for (int turn = 0; turn < 50; ++turn) script.threads[1][0].push_back({kRead, kX, 0, true});
  const auto pct = make_pct(3, 50, 1);
  const Seen seen = explore_all(script, *pct);
  for (const std::string& outcome : seen.outcomes) EXPECT(!outcome.ends_with(std::string(50, '0')));
  EXPECT(seen.runs == 50);
}

}  // namespace

int main() {
  numbers_are_exact();
  an_attempt_that_fails_is_a_read_also_at_the_end();
  a_stop_hides_nobody();
  there_may_be_many_processes();
  places_are_ranges();
  accesses_depend_by_mode_and_place();
  the_default_goes_on();
  nothing_is_claimed_of_what_was_cut();
  nothing_is_claimed_before_the_end();
  a_replay_that_does_not_fit_says_so();
  samples_depend_on_the_seed_alone();
  whoever_yields_is_let_wait();
  return finish();
}
