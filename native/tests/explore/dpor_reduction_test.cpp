// SPDX-License-Identifier: Apache-2.0
// Programs whose steps turn out otherwise: attempts that fail, loops that wait, operations that return early, steps
// that go where nobody knew. Nothing of them may be lost.
//
// Without arguments, programs that were lost once and some thousand random ones; with a seed and a number, so many.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
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
using enum Kind;

bool touches_parts(const Script& script) {
  for (const Thread& thread : script.threads)
    for (const Operation& operation : thread)
      for (const Instruction& instruction : operation)
        if (instruction.kind == kSetBothIf) return true;
  return false;
}

bool loses_as_it_is(const Script& script) {
  const auto dpor = make_dpor({.whole_places = !touches_parts(script)});
  return explore_all(script, *dpor).outcomes != Oracle(script).all() || !dpor->exhaustive();
}

/// Whether it is known before that a thread will end, or not.
bool loses(Script script) {
  const bool loses_foreseen = loses_as_it_is(script);
  script.foreseen = false;
  return loses_foreseen || loses_as_it_is(script);
}

/// With no instruction that could be left out.
Script smallest(Script script) {
  for (std::size_t thread = 0; thread < script.threads.size(); ++thread)
    for (std::size_t operation = 0; operation < script.threads[thread].size(); ++operation)
      for (std::size_t at = 0; at < script.threads[thread][operation].size(); ++at) {
        Script less = script;
        Thread& operations = less.threads[thread];
        Operation& left = operations[operation];
        if (left.size() == 1 && operations.size() == 1) continue;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        if (left.empty()) operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(operation));
        if (loses(less)) return smallest(std::move(less));
      }
  Script untimed = script;
  untimed.timed = false;
  return script.timed && loses(untimed) ? smallest(std::move(untimed)) : script;
}

void expect_all_of(const Script& script) {
  const int failures_before = failures;
  EXPECT(!loses(script));
  if (failures == failures_before) return;
  const Script least = smallest(script);
  std::printf("%s:\n", least.timed ? "timed" : "not timed");
  print(least);
}

Instruction at(Kind kind, std::size_t target, int value = 0) { return {kind, target, value, false}; }
Instruction later(Kind kind, std::size_t target, int value = 0) { return {kind, target, value, true}; }

Script script_of(std::vector<Thread> threads, bool timed) {
  Script script{.threads = std::move(threads)};
  script.timed = timed;
  return script;
}

/// Each was called exhaustive with an outcome missing.
void what_was_lost_once() {
  // A failed attempt does not touch what it would have written, and whoever touches that was not let go before it.
  expect_all_of(script_of(
      {{{later(kLock, 1)}, {at(kWrite, 1, 1)}}, {{at(kSetAllIf, 1, 1)}}, {{at(kRead, 0)}, {at(kStoreNext, 0)}}},
      false));
  expect_all_of(
      script_of({{{at(kSetAllIf, 1, 1)}}, {{at(kTryLock, 1)}, {at(kExchange, 1, 2)}}, {{at(kExchange, 0, 1)}}}, false));
  // The same, where it is not the attempt that had been explored but the one that touches it.
  Script spawning = script_of(
      {
          {{at(kSpawn, 2)}, {at(kWrite, 0, 3)}, {at(kExchange, 0, 3)}, {at(kJoin, 2)}},
          {{at(kLoad, 1)}, {later(kRead, 0), at(kSetAllIf, 1, 1)}},
          {{at(kStoreNext, 1)}, {at(kCompareAndSet, 0, 1)}},
      },
      false);
  spawning.spawned[2] = true;
  expect_all_of(spawning);
  // A loop that waits does not return, and neither does who waits for a permit for ever: a call that could have come
  // before their return was not let go before it.
  expect_all_of(script_of(
      {
          {{at(kStoreNext, 0), at(kRead, 0)}, {at(kCompareAndSet, 0, 2), at(kSpin, 0, 3)}},
          {{at(kLock, 0), at(kSpin, 0, 1)}},
          {{at(kCompareAndSet, 1, 2)}, {at(kSpin, 1, 3)}},
      },
      true));
  Script permits = script_of(
      {
          {{at(kLock, 0), at(kWrite, 0, 3), at(kLock, 1), at(kLock, 1)}},
          {{at(kLock, 1)}, {at(kRead, 0)}},
          {{at(kStoreNext, 0), at(kLock, 1)}},
      },
      true);
  permits.counts = {true, true, true};
  permits.permits = {2, 2, 1};
  expect_all_of(permits);
}

void random_programs(unsigned seed, int rounds) {
  Dice dice(seed);
  for (int round = 0; round < rounds && !hopeless(); ++round) {
    const Features features = mixed_features(round);
    Script script = random_script(dice, 8 + dice.pick(6), features);
    script.timed = round % 4 == 0;
    expect_all_of(script);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const bool given = arguments.size() == 3;
  what_was_lost_once();
  random_programs(given ? static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10)) : 19,
                  given ? static_cast<int>(std::strtol(arguments[2], nullptr, 10)) : 20000);
  return finish();
}
