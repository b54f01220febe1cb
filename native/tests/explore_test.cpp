// SPDX-License-Identifier: Apache-2.0
// Explorers of random programs against an oracle that knows the states of a program and nothing of schedules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dice.hpp"
#include "harness.hpp"
#include "linpoint/explore/schedulers.hpp"
#include "scripts.hpp"
#include "shown.hpp"

namespace {

using namespace linpoint::tests;
using namespace linpoint::explore;

using Outcomes = std::set<std::string>;

/// Each outcome of a script with the fewest preemptions that show it, by a search over states.
class Oracle {
 public:
  explicit Oracle(const Script& script) { visit(Machine(script), kThreads, 0); }

  [[nodiscard]] Outcomes within(int preemptions) const {
    Outcomes some;
    for (const auto& [outcome, least] : outcomes_)
      if (least <= preemptions) some.insert(outcome);
    return some;
  }
  [[nodiscard]] Outcomes all() const { return within(1000); }

 private:
  void visit(const Machine& machine, std::size_t running, int preemptions) {
    const auto [known, fresh] = fewest_.try_emplace(machine.told() + static_cast<char>(running), preemptions);
    if (!fresh && known->second <= preemptions) return;
    known->second = preemptions;
    bool over = true;
    for (std::size_t thread = 0; thread < machine.threads(); ++thread) {
      if (!machine.enabled(thread)) continue;
      over = false;
      Machine after = machine;
      after.step(thread);
      visit(after, thread, preemptions + (costs(machine, running, thread) ? 1 : 0));
    }
    if (!over) return;
    const auto [least, first] = outcomes_.try_emplace(machine.outcome(), preemptions);
    if (!first) least->second = std::min(least->second, preemptions);
  }

  /// Whether the turn is taken from one that could go on, or given to one that yields though it is another one's.
  static bool costs(const Machine& machine, std::size_t running, std::size_t thread) {
    const bool could_go_on = running != kThreads && machine.enabled(running) && !machine.yields(running);
    if (could_go_on) return thread != running;
    if (!machine.yields(thread)) return false;
    for (std::size_t other = 0; other < machine.threads(); ++other)
      if (machine.enabled(other) && !machine.yields(other)) return true;
    // All yield, and take their turns in a circle.
    std::size_t turn = running == kThreads ? 0 : running + 1;
    while (!machine.enabled(turn % machine.threads())) ++turn;
    return thread != turn % machine.threads();
  }

  std::unordered_map<std::string, int> fewest_;
  std::map<std::string, int> outcomes_;
};

struct Features {
  bool conditional = false;  ///< steps of which it is not known before whether they write
  bool stops = false;
  bool awaits = false;
  bool spawns = false;
};

Instruction random_instruction(Dice& dice, const Features& features) {
  using enum Kind;
  constexpr Kind kKinds[] = {
      kRead,     kRead, kWrite, kFetchAdd, kLoad,   kStoreNext, kReadBoth,
      kWriteAll, kLock, kLock,  kUnlock,   kUnlock, kAwait,     kStopIf,
  };
  const std::size_t left_out = (features.stops ? 0 : 1) + (features.stops || features.awaits ? 0 : 1);
  const std::size_t kinds = std::size(kKinds) - left_out;
  Instruction instruction{kKinds[dice.pick(kinds)], dice.pick(2), static_cast<int>(1 + dice.pick(3)), dice.one_in(20)};
  if (features.conditional && instruction.kind == kLock && dice.one_in(2)) instruction.kind = kTryLock;
  return instruction;
}

void add_spawning(Script& script, Dice& dice) {
  const std::size_t child = script.threads.size() - 1;
  script.spawned[child] = true;
  Thread& first = script.threads[0];
  const auto where = static_cast<std::ptrdiff_t>(dice.pick(first.size() + 1));
  first.insert(first.begin() + where, Operation{{Kind::kSpawn, child, 0, false}});
  if (dice.one_in(2)) first.push_back({{Kind::kJoin, child, 0, false}});
  if (first.size() > kOperations) first.resize(kOperations);
}

Script random_script(Dice& dice, std::size_t steps, const Features& features) {
  Script script;
  const std::size_t threads = 2 + dice.pick(2);
  script.threads.resize(threads);
  for (Thread& thread : script.threads)
    for (std::size_t left = 1 + dice.pick(steps / threads); left > 0; --left) {
      if (thread.empty() || (thread.size() < kOperations && dice.one_in(2))) thread.emplace_back();
      thread.back().push_back(random_instruction(dice, features));
    }
  for (std::size_t place = 0; place < kPlaces; ++place) {
    // Whether a lock is held when it is released decides what the release does, which a semaphore does not ask.
    script.counts[place] = !features.conditional || dice.one_in(3);
    script.permits[place] = script.counts[place] && dice.one_in(3) ? 2 : 1;
    if (dice.one_in(4)) script.permits[place] = 0;
  }
  if (features.spawns) add_spawning(script, dice);
  return script;
}

bool has_lock(const Script& script) {
  for (const Thread& thread : script.threads)
    for (const Operation& operation : thread)
      for (const Instruction& instruction : operation)
        if (instruction.kind == Kind::kLock) return true;
  return false;
}

void print(const Script& script) {
  constexpr const char* kNames[] = {
      "read",  "write", "load",   "store-next", "fetch-add", "read-both", "write-all",
      "await", "lock",  "unlock", "try-lock",   "stop-if",   "spawn",     "join",
  };
  for (const Thread& thread : script.threads) {
    std::printf("  thread:");
    for (const Operation& operation : thread) {
      for (const Instruction& each : operation)
        std::printf(" %s(%zu, %d)%s", kNames[static_cast<std::size_t>(each.kind)], each.target, each.value,
                    each.yields ? " yielding" : "");
      std::printf(";");
    }
    std::printf("\n");
  }
  for (std::size_t place = 0; place < kPlaces; ++place)
    std::printf("  %s %zu: %d\n", script.counts[place] ? "semaphore" : "lock", place, script.permits[place]);
}

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
