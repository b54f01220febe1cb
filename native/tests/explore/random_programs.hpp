// SPDX-License-Identifier: Apache-2.0
// Random scripts, and an oracle that knows the states of a script and nothing of schedules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "tests/explore/tiny_programs.hpp"
#include "tests/support/seeded_random.hpp"

namespace linpoint::tests {

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
  bool attempts = false;  ///< steps that look, and write or do not
  bool parts = false;     ///< and of which others touch a part
  bool spins = false;
};

/// Every so many of them together, one round after the other.
inline Features mixed_features(int round) {
  return {
      .conditional = round % 2 == 1,
      .stops = round % 11 == 2,
      .awaits = round % 3 == 0,
      .spawns = round % 7 == 3,
      .attempts = round % 5 < 3,
      .parts = round % 13 < 6,
      .spins = round % 8 < 3,
  };
}

inline Instruction random_instruction(Dice& dice, const Features& features) {
  using enum Kind;
  constexpr Kind kKinds[] = {
      kRead,     kRead, kWrite, kFetchAdd, kLoad,   kStoreNext, kReadBoth,
      kWriteAll, kLock, kLock,  kUnlock,   kUnlock, kAwait,     kStopIf,
  };
  const std::size_t left_out = (features.stops ? 0 : 1) + (features.stops || features.awaits ? 0 : 1);
  const std::size_t kinds = std::size(kKinds) - left_out;
  Instruction instruction{kKinds[dice.pick(kinds)], dice.pick(2), static_cast<int>(1 + dice.pick(3)), dice.one_in(20)};
  constexpr Kind kAttempts[] = {kExchange, kCompareAndSet, kSetAllIf, kLeaveIf, kReadThrough, kSetBothIf};
  if (features.attempts && dice.one_in(3))
    instruction.kind = kAttempts[dice.pick(std::size(kAttempts) - (features.parts ? 0 : 1))];
  if (features.spins && dice.one_in(4)) instruction.kind = kSpin;
  if (features.conditional && instruction.kind == kLock && dice.one_in(2)) instruction.kind = kTryLock;
  return instruction;
}

inline void add_spawning(Script& script, Dice& dice) {
  const std::size_t child = script.threads.size() - 1;
  script.spawned[child] = true;
  Thread& first = script.threads[0];
  const auto where = static_cast<std::ptrdiff_t>(dice.pick(first.size() + 1));
  first.insert(first.begin() + where, Operation{{Kind::kSpawn, child, 0, false}});
  if (dice.one_in(2)) first.push_back({{Kind::kJoin, child, 0, false}});
  if (first.size() > kOperations) first.resize(kOperations);
}

inline Script random_script(Dice& dice, std::size_t steps, const Features& features) {
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

inline bool has_lock(const Script& script) {
  for (const Thread& thread : script.threads)
    for (const Operation& operation : thread)
      for (const Instruction& instruction : operation)
        if (instruction.kind == Kind::kLock) return true;
  return false;
}

inline void print(const Script& script) {
  constexpr const char* kNames[] = {
      "read",       "write",       "load",         "store-next", "fetch-add", "exchange", "compare-and-set",
      "set-all-if", "set-both-if", "read-through", "read-both",  "write-all", "await",    "spin",
      "lock",       "unlock",      "try-lock",     "leave-if",   "stop-if",   "spawn",    "join",
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

}  // namespace linpoint::tests
