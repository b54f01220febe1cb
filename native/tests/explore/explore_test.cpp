// SPDX-License-Identifier: Apache-2.0
// Explorers of random programs against an oracle that knows the states of a program and nothing of schedules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "linpoint/explore/schedulers.hpp"
#include "tests/explore/explored_schedules.hpp"
#include "tests/explore/random_programs.hpp"
#include "tests/explore/tiny_programs.hpp"
#include "tests/support/harness.hpp"
#include "tests/support/seeded_random.hpp"

namespace {

using namespace linpoint::tests;
using namespace linpoint::explore;

/// Random programs of many kinds, each with what is true of it.
void each_random_program(unsigned seed, int rounds,
                         const std::function<void(const Script&, const Oracle&, const Features&)>& examine) {
  Dice dice(seed);
  for (int round = 0; round < rounds; ++round) {
    const Features features{
        .conditional = round % 2 == 1,
        .stops = round % 5 == 2,
        .awaits = round % 3 == 0,
        .spawns = round % 7 == 3,
    };
    const Script script = random_script(dice, 10, features);
    const int failures_before = failures;
    examine(script, Oracle(script), features);
    if (failures == failures_before) continue;
    std::printf("round %d:\n", round);
    print(script);
    if (hopeless()) return;
  }
}

/// Everything, up to the order of independent steps, and nothing of it twice.
void dpor_shows_each_trace() {
  std::uint64_t rich = 0;
  std::uint64_t runs = 0;
  std::uint64_t redundant = 0;
  std::uint64_t repeated = 0;
  each_random_program(7, 3000, [&](const Script& script, const Oracle& oracle, const Features& features) {
    const Outcomes expected = oracle.all();
    rich += expected.size() >= 5 && has_lock(script) ? 1 : 0;

    const auto every = make_bounded(1000);
    const Seen all = explore_all(script, *every);
    EXPECT(all.outcomes == expected);
    EXPECT(all.schedules.size() == all.runs);

    const auto dpor = make_dpor();
    const Seen reduced = explore_all(script, *dpor);
    EXPECT(reduced.outcomes == expected);
    EXPECT(reduced.replays);
    EXPECT(dpor->exhaustive());
    // What others did before somebody stopped the run is shown in one order only.
    if (!features.stops) EXPECT(reduced.traces == all.traces);
    // A step that might have written but did not wakes sleepers that it need not have waked.
    if (!features.stops && !features.conditional) EXPECT(reduced.runs == reduced.traces.size());
    runs += reduced.runs;
    redundant += dpor->progress().redundant;
    repeated += reduced.runs - reduced.traces.size();

    const auto sleepless = make_dpor({.sleep_sets = false});
    const Seen more = explore_all(script, *sleepless);
    EXPECT(more.outcomes == expected);
    EXPECT(more.runs >= reduced.runs);
    EXPECT(sleepless->progress().redundant == 0);
    EXPECT(sleepless->exhaustive());
  });
  EXPECT(rich >= 200);
  EXPECT(redundant * 100 < runs);
  EXPECT(repeated * 100 < runs);
  std::printf("%llu runs, %llu redundant, %llu repeated\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(redundant), static_cast<unsigned long long>(repeated));
}

void bounds_are_kept() {
  each_random_program(11, 1500, [](const Script& script, const Oracle& oracle, const Features&) {
    const auto every = make_bounded(1000);
    const Seen all = explore_all(script, *every);
    EXPECT(all.outcomes == oracle.all());
    EXPECT(all.replays);
    EXPECT(every->exhaustive() && every->completed() == 1000);
    EXPECT(std::is_sorted(all.preemptions.begin(), all.preemptions.end()));
    for (const int most : {0, 1, 2}) {
      const auto bounded = make_bounded(most);
      const Seen some = explore_all(script, *bounded);
      const auto fitting = std::count_if(all.preemptions.begin(), all.preemptions.end(),
                                         [&](std::uint64_t each) { return std::cmp_less_equal(each, most); });
      EXPECT(some.outcomes == oracle.within(most));
      EXPECT(std::cmp_equal(some.runs, fitting) && some.schedules.size() == some.runs);
      EXPECT(bounded->completed() == most);
      EXPECT(bounded->exhaustive() == (some.runs == all.runs));
    }
  });
}

void samples_are_schedules() {
  std::uint64_t seed = 0;
  each_random_program(13, 1500, [&](const Script& script, const Oracle& oracle, const Features&) {
    const Outcomes expected = oracle.all();
    ++seed;
    const std::unique_ptr<Explorer> explorers[] = {make_random(seed, 20), make_pct(seed, 20, 3), make_pos(seed, 20)};
    for (const auto& explorer : explorers) {
      const Seen seen = explore_all(script, *explorer);
      EXPECT(std::includes(expected.begin(), expected.end(), seen.outcomes.begin(), seen.outcomes.end()));
      EXPECT(seen.runs == 20);
      EXPECT(seen.replays);
      EXPECT(!explorer->exhaustive());
    }
  });
}

/// A program that is another one each time must not lead an explorer astray, and never to a claim.
void nondeterminism_is_noticed() {
  Dice dice(17);
  int noticed = 0;
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    const Features features{.conditional = true, .stops = round % 3 == 0, .awaits = round % 2 == 0};
    const Script scripts[] = {random_script(dice, 8, features), random_script(dice, 8, features)};
    const std::unique_ptr<Explorer> explorers[] = {make_dpor(), make_dpor({.sleep_sets = false}), make_bounded(2)};
    for (const auto& explorer : explorers) {
      while (explorer->progress().runs < 100000 && explorer->begin()) run_once(scripts[dice.pick(2)], *explorer, 1000);
      EXPECT(!explorer->begin());
      EXPECT(explorer->diverged_at() == Explorer::kNever || !explorer->exhaustive());
      noticed += explorer->diverged_at() == Explorer::kNever ? 0 : 1;
    }
  }
  EXPECT(noticed > kRounds);
}

}  // namespace

int main() {
  dpor_shows_each_trace();
  bounds_are_kept();
  samples_are_schedules();
  nondeterminism_is_noticed();
  return finish();
}
