// SPDX-License-Identifier: Apache-2.0
// Searches that share the work show what one search shows.
//
// Without arguments some thousand random programs; with a seed and a number, so many.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>
#include <thread>
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

/// What all searches together showed.
struct Together {
  Outcomes outcomes;
  std::uint64_t complete = 0;       ///< runs
  std::vector<std::uint64_t> runs;  ///< of each search
  bool exhaustive = true;
  bool given_up = false;
};

/// Which searches have something to do is up to the system; `slow` makes it differ more.
Together explore_together(const Script& script, DporOptions options, unsigned searches, bool slow) {
  std::vector<std::uint64_t> words(slow ? 512 : 8192);  // the smaller one is full now and then
  const std::span<std::byte> memory = std::as_writable_bytes(std::span(words));
  Together seen;
  std::mutex mutex;
  const auto work = [&] {
    const auto wait = [] {
      std::this_thread::yield();
      return true;
    };
    const auto search = make_shared_dpor(options, memory, searches, wait);
    while (search->begin()) {
      const Shown shown = run_once(script, *search, 1000);
      if (slow) std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (shown.redundant) continue;
      const std::scoped_lock lock(mutex);
      seen.outcomes.insert(shown.outcome);
      if (shown.ending == Ending::kComplete) ++seen.complete;
    }
    const std::scoped_lock lock(mutex);
    seen.runs.push_back(search->progress().runs);
    seen.exhaustive = seen.exhaustive && search->exhaustive();
    seen.given_up = seen.given_up || search->given_up();
  };
  std::vector<std::thread> threads;
  threads.reserve(searches);
  for (unsigned each = 0; each < searches; ++each) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return seen;
}

std::uint64_t complete_runs(const Script& script, DporOptions options) {
  const auto alone = make_dpor(options);
  std::uint64_t complete = 0;
  while (alone->begin()) {
    const Shown shown = run_once(script, *alone, 1000);
    if (!shown.redundant && shown.ending == Ending::kComplete) ++complete;
  }
  return complete;
}

/// How often the work was shared, and how often it could not be.
struct Tally {
  int shared = 0;
  int given_up = 0;
};

/// How a script is explored, and compared.
struct Manner {
  DporOptions options;
  unsigned searches;
  bool slow;
  bool exact;  ///< whether two steps depend on each other does not differ from run to run: there are classes to count
};

void compare(const Script& script, const Manner& manner, Tally& tally) {
  const int failures_before = failures;
  const Together seen = explore_together(script, manner.options, manner.searches, manner.slow);
  if (seen.given_up) {
    ++tally.given_up;
    EXPECT(!seen.exhaustive);
    return;
  }
  EXPECT(seen.exhaustive);
  EXPECT(seen.outcomes == Oracle(script).all());
  if (manner.exact) EXPECT(seen.complete == complete_runs(script, manner.options));
  int busy = 0;
  for (const std::uint64_t runs : seen.runs) busy += runs > 0 ? 1 : 0;
  if (busy > 1) ++tally.shared;
  if (failures != failures_before) print(script);
}

void random_programs(unsigned seed, int rounds) {
  Dice dice(seed);
  Tally tally;
  for (int round = 0; round < rounds && !hopeless(); ++round) {
    const Features features = mixed_features(round);
    Script script = random_script(dice, 9 + dice.pick(7), features);
    script.timed = false;  // what returns cannot be shared
    const bool sleep_sets = round % 17 != 0;
    const Manner manner{
        .options = {.sleep_sets = sleep_sets},
        .searches = 2 + static_cast<unsigned>(round % 3),
        .slow = round % 4 == 0,
        .exact = sleep_sets && !features.conditional && !features.attempts,
    };
    compare(script, manner, tally);
  }
  std::printf("%d of %d were shared, %d were given up\n", tally.shared, rounds, tally.given_up);
  EXPECT(tally.shared > 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const bool given = arguments.size() == 3;
  random_programs(given ? static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10)) : 23,
                  given ? static_cast<int>(std::strtol(arguments[2], nullptr, 10)) : 5000);
  return finish();
}
