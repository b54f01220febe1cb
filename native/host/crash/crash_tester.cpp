// SPDX-License-Identifier: Apache-2.0
#include "host/crash/crash_tester.hpp"

namespace linpoint::runtime::crash {

namespace {

/// Number of runs between checks of the whole pool.
constexpr std::uint64_t kChecked = 512;
/// A separate process may take longer.
constexpr std::int64_t kMoreFuel = 4;
/// Flags of a known image: it passes, and it was counted.
constexpr std::uint8_t kPassed = 1;
constexpr std::uint8_t kCounted = 2;

}  // namespace

void Tester::put(Walk& walk, const Context& context, const CrashState& state,
                 std::span<const persistency::Write> more) {
  writes_.clear();
  persistency::collect_writes(walk.now(), walk.trace(), state, writes_);
  writes_.insert(writes_.end(), more.begin(), more.end());
  key_ = hash_of(&state.most, 0, context.hash()) + walk.images().put(writes_);
}

bool Tester::passes(Walk& walk, Class kind, const Context& context, const CrashState& state,
                    std::span<const persistency::Write> more) {
  put(walk, context, state, more);
  std::uint8_t& known = find(walk, kind, context);
  was_new_ = (known & kCounted) == 0;
  known |= kCounted;
  ++(was_new_ ? counts.tests[static_cast<std::size_t>(kind)] : counts.duplicates);
  return (known & kPassed) != 0;
}

bool Tester::passes_again(Walk& walk, Class kind, const Context& context, const CrashState& state) {
  ++counts.retests;
  put(walk, context, state, {});
  return (find(walk, kind, context) & kPassed) != 0;
}

std::uint8_t& Tester::find(Walk& walk, Class kind, const Context& context) {
  bool known = false;
  std::uint8_t& answer = seen_.at(key_, known);
  bool again = known;
  // The lines that it reads must be observed at least once.
  if (hooks != kLean) static_cast<void>(watched_.at(key_, again));
  if (known && again) {
    walk.images().restore();
    read_lines_.clear();
    return answer;
  }
  the_pool.take_back(walk.cursor());
  const bool sampled = !known && samples_.wanted();
  if (sampled) samples_.keep(walk);
  const Outcome& outcome = the_runner.run_probes(context.probes, fuel, hooks);
  read_lines_.clear();
  for (std::size_t each = 0; each < hot.read_count; ++each)
    read_lines_.push_back(hot.begin + std::uint64_t{hot.read[each]} * kLine);
  walk.images().restore();
  if (outcome.ended == Ended::kRefused) {
    stopped = true;
    reason = outcome.message;
    answer = kPassed;
    return answer;
  }
  if (++runs_ % kChecked == 0) check_pool(walk, false);
  if (!known && oracle_.allows(kind, context, outcome)) answer |= kPassed;
  if (sampled) samples_.send(oracle_, kind, context, outcome, (answer & kPassed) != 0);
  return answer;
}

bool Tester::fails_elsewhere(Walk& walk, Class kind, const Context& context, const CrashState& state,
                             std::span<const persistency::Write> more) {
  put(walk, context, state, more);
  const bool ran = keeper_.run(context.probes, walk.cursor(), walk.images().extent(), kMoreFuel * fuel, confirmed_);
  walk.images().restore();
  ++counts.retests;
  if (!ran) {
    qualify("a failure could not be repeated in a fresh process");
    return false;
  }
  return !oracle_.allows(kind, context, confirmed_);
}

void Tester::check_pool(Walk& walk, bool everything) {
  if (walk.images().intact(everything)) return;
  qualify(
      "code without instrumentation writes to the pool: its stores are not traced, and crashes within it are not "
      "tested");
  walk.images().copy_all();
  walk.images().restore();
}

}  // namespace linpoint::runtime::crash
