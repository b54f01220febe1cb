// SPDX-License-Identifier: Apache-2.0
// Explorers against an oracle that knows the states of a program and nothing of this library.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness.hpp"
#include "linpoint/explore/schedulers.hpp"
#include "scripts.hpp"

namespace {

using namespace linpoint::tests;
using namespace linpoint::explore;

/// Each outcome of a script with the fewest preemptions that show it, by a search over states.
class Oracle {
 public:
  explicit Oracle(const Script& script) { visit(Machine(script), kThreads, 0); }

  [[nodiscard]] const std::map<std::string, int>& outcomes() const { return outcomes_; }
  [[nodiscard]] std::set<std::string> within(int preemptions) const {
    std::set<std::string> some;
    for (const auto& [outcome, least] : outcomes_)
      if (least <= preemptions) some.insert(outcome);
    return some;
  }

 private:
  void visit(const Machine& machine, std::size_t running, int preemptions) {
    std::string state = machine.told();
    state += static_cast<char>(running);
    const auto [known, fresh] = fewest_.try_emplace(state, preemptions);
    if (!fresh && known->second <= preemptions) return;
    known->second = preemptions;
    bool over = true;
    for (std::size_t thread = 0; thread < machine.threads(); ++thread) {
      if (!machine.enabled(thread)) continue;
      over = false;
      const bool taken =
          running < kThreads && running != thread && machine.enabled(running) && !machine.yields(running);
      Machine after = machine;
      after.step(thread);
      visit(after, thread, preemptions + (taken ? 1 : 0));
    }
    if (!over) return;
    const auto [least, first] = outcomes_.try_emplace(machine.outcome(), preemptions);
    if (!first) least->second = std::min(least->second, preemptions);
  }

  std::unordered_map<std::string, int> fewest_;
  std::map<std::string, int> outcomes_;
};

/// What one run showed.
struct Shown {
  std::vector<Process> schedule;
  std::vector<std::vector<Access>> events;
  std::string outcome;
  Ending ending = Ending::kComplete;
  bool redundant = false;
};

Shown run_once(const Script& script, Explorer& explorer, std::uint64_t base) {
  Machine machine(script, base);
  Shown shown;
  Process running = kNobody;
  for (;;) {
    std::vector<std::vector<Access>> accesses;
    std::vector<Pending> processes(machine.threads());
    bool alive = false;
    bool enabled = false;
    accesses.reserve(processes.size());
    for (std::size_t each = 0; each < processes.size(); ++each) {
      accesses.push_back(machine.pending(each));
      processes[each] = {machine.alive(each), machine.enabled(each), machine.yields(each), accesses.back()};
      alive |= machine.alive(each);
      enabled |= machine.enabled(each);
    }
    const std::vector<Access> nothing;
    const View view{processes, running, shown.events.empty() ? nothing : shown.events.back()};
    if (!enabled) {
      shown.ending = machine.stopped() ? Ending::kStopped : alive ? Ending::kStuck : Ending::kComplete;
      shown.outcome = machine.outcome();
      explorer.end(view, shown.ending);
      return shown;
    }
    running = explorer.choose(view);
    if (running == kNobody) {
      shown.redundant = true;
      return shown;
    }
    shown.schedule.push_back(running);
    shown.events.push_back(machine.step(running));
  }
}

/// The order of dependent steps: equal for two runs if and only if they differ in the order of independent ones alone.
std::string trace_of(const Shown& shown) {
  const auto conflict = [](const Access& one, const Access& other) {
    const auto timed = [](const Access& each) { return each.mode == Mode::kCall || each.mode == Mode::kReturn; };
    if (timed(one) && timed(other)) return one.mode != other.mode;
    if (timed(one) || timed(other) || (one.mode == Mode::kRead && other.mode == Mode::kRead)) return false;
    return std::max(one.begin, other.begin) < std::min(one.end, other.end);
  };
  const std::size_t steps = shown.schedule.size();
  std::vector<std::string> told(kThreads);
  std::vector<int> number(steps);
  std::vector<int> count(kThreads);
  for (std::size_t later = 0; later < steps; ++later) {
    const Process process = shown.schedule[later];
    number[later] = count[process]++;
    std::set<std::pair<Process, int>> after;
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (shown.schedule[earlier] == process) continue;
      for (const Access& one : shown.events[earlier])
        for (const Access& other : shown.events[later])
          if (conflict(one, other)) after.insert({shown.schedule[earlier], number[earlier]});
    }
    for (const auto& [who, which] : after) told[process] += std::to_string(who) + "." + std::to_string(which) + " ";
    told[process] += ";";
  }
  std::string text;
  for (const std::string& each : told) text += each + "|";
  return text;
}

struct Seen {
  std::set<std::string> outcomes;
  std::set<std::string> traces;
  std::set<std::vector<Process>> schedules;
  std::uint64_t runs = 0;  ///< that came to an end
  std::uint64_t redundant = 0;
  bool replays = true;
};

/// Shows all that an explorer wants to see, at other places each time; some runs are replayed.
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

Seen explore_all(const Script& script, Explorer& explorer, bool traces, std::uint64_t limit = kUnlimited) {
  Seen seen;
  while (explorer.progress().runs < limit && explorer.begin()) {
    const std::uint64_t run = explorer.progress().runs;
    const Shown shown = run_once(script, explorer, 1000 + 16 * (run % 7));
    if (shown.redundant) {
      ++seen.redundant;
      continue;
    }
    ++seen.runs;
    seen.outcomes.insert(shown.outcome);
    if (traces) seen.traces.insert(trace_of(shown));
    seen.schedules.insert(shown.schedule);
    if (run % 5 != 1) continue;
    const auto replay = make_replay(explorer.deviations());
    const bool begun = replay->begin();
    const Shown again = run_once(script, *replay, 5000);
    seen.replays &= begun && again.schedule == shown.schedule && again.outcome == shown.outcome && !replay->begin() &&
                    replay->deviations() == explorer.deviations() && replay->preemptions() == explorer.preemptions() &&
                    replay->diverged_at() == Explorer::kNever;
  }
  return seen;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t pick(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  bool chance(std::size_t percent) { return pick(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

struct Features {
  bool conditional = false;  ///< steps of which it is not known before whether they write
  bool stops = false;
  bool spawns = false;
};

Instruction random_instruction(Dice& dice, const Features& features) {
  Instruction instruction;
  instruction.target = dice.pick(2);
  instruction.value = static_cast<int>(1 + dice.pick(3));
  instruction.yields = dice.chance(5);
  const std::size_t kind = dice.pick(features.stops ? 11 : 10);
  constexpr Kind kPlain[] = {Kind::kRead, Kind::kRead, Kind::kWrite,  Kind::kFetchAdd, Kind::kLoad,  Kind::kStoreNext,
                             Kind::kLock, Kind::kLock, Kind::kUnlock, Kind::kUnlock,   Kind::kStopIf};
  instruction.kind = kPlain[kind];
  if (features.conditional && instruction.kind == Kind::kLock && dice.chance(50)) instruction.kind = Kind::kTryLock;
  return instruction;
}

/// At most `steps` in all.
Script random_script(Dice& dice, std::size_t steps, const Features& features) {
  Script script;
  const std::size_t threads = 2 + dice.pick(2);
  script.threads.resize(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const std::size_t share = 1 + dice.pick(steps / threads);
    for (std::size_t step = 0; step < share; ++step) {
      Thread& operations = script.threads[thread];
      if (operations.empty() || (operations.size() < kOperations && dice.chance(50))) operations.emplace_back();
      operations.back().push_back(random_instruction(dice, features));
    }
  }
  for (std::size_t place = 0; place < kPlaces; ++place) {
    script.permits[place] = dice.chance(25) ? 0 : 1;
    script.counts[place] = !features.conditional || dice.chance(30);
    if (script.counts[place] && dice.chance(30)) script.permits[place] = 2;
  }
  if (features.spawns) {
    script.spawned[threads - 1] = true;
    Thread& first = script.threads[0];
    first.insert(first.begin() + static_cast<std::ptrdiff_t>(dice.pick(first.size() + 1)),
                 Operation{{Kind::kSpawn, threads - 1, 0, false}});
    if (dice.chance(50)) first.push_back({{Kind::kJoin, threads - 1, 0, false}});
    if (first.size() > kOperations) first.resize(kOperations);
  }
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
  constexpr const char* kNames[] = {"read",   "write",    "load",    "store+1", "fetch-add", "lock",
                                    "unlock", "try-lock", "stop-if", "spawn",   "join"};
  for (const Thread& thread : script.threads) {
    std::printf("  thread:");
    for (const Operation& operation : thread) {
      std::printf(" (");
      for (const Instruction& each : operation)
        std::printf(" %s %zu %d%s", kNames[static_cast<std::size_t>(each.kind)], each.target, each.value,
                    each.yields ? " yields" : "");
      std::printf(" )");
    }
    std::printf("\n");
  }
  for (std::size_t place = 0; place < kPlaces; ++place)
    std::printf("  %s %zu: %d\n", script.counts[place] ? "semaphore" : "lock", place, script.permits[place]);
}

void explorers_show_what_the_oracle_knows() {
  Dice dice(7);
  std::uint64_t rich = 0;
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;
  std::uint64_t repeated = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds && !hopeless(); ++round) {
    const Features features{.conditional = round % 2 == 1, .stops = round % 5 == 2, .spawns = round % 7 == 3};
    const Script script = random_script(dice, 10, features);
    const Oracle oracle(script);
    const std::set<std::string> expected = oracle.within(1000);
    rich += expected.size() >= 5 && has_lock(script) ? 1 : 0;

    const auto bounded = make_bounded(1000);
    const Seen all = explore_all(script, *bounded, true);
    EXPECT(all.outcomes == expected);
    EXPECT(all.schedules.size() == all.runs);
    EXPECT(all.replays);
    EXPECT(bounded->exhaustive());

    const auto sleepy = make_dpor();
    const Seen reduced = explore_all(script, *sleepy, true);
    EXPECT(reduced.outcomes == expected);
    EXPECT(reduced.replays);
    EXPECT(sleepy->exhaustive());
    if (!features.stops) EXPECT(reduced.traces == all.traces);
    EXPECT(reduced.runs <= all.runs);
    if (!features.conditional && !features.stops) EXPECT(reduced.runs == reduced.traces.size());
    complete += reduced.runs;
    blocked += reduced.redundant;
    repeated += reduced.runs - reduced.traces.size();

    const auto sleepless = make_dpor({.sleep_sets = false});
    const Seen wide = explore_all(script, *sleepless, false);
    EXPECT(wide.outcomes == expected);
    EXPECT(wide.redundant == 0);
    EXPECT(wide.runs >= reduced.runs);
    EXPECT(sleepless->exhaustive());
    if (failures > 0) {
      std::printf("round %d: expected %zu, bounded %zu, dpor %zu (%llu runs), without sleep %zu\n", round,
                  expected.size(), all.outcomes.size(), reduced.outcomes.size(), (unsigned long long)reduced.runs,
                  wide.outcomes.size());
      print(script);
      return;
    }
  }
  std::printf("rich %llu complete %llu blocked %llu repeated %llu\n", (unsigned long long)rich,
              (unsigned long long)complete, (unsigned long long)blocked, (unsigned long long)repeated);
  EXPECT(rich > 200);
}

}  // namespace

int main() {
  explorers_show_what_the_oracle_knows();
  return finish();
}
