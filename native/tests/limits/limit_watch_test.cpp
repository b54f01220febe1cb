// SPDX-License-Identifier: Apache-2.0
// Limits by an injected clock and memory: when they are announced, when they are enforced, and how soon to look again.
#include "linpoint/limits/limit_watch.hpp"

#include <cstddef>

#include "tests/support/harness.hpp"

namespace {

using linpoint::limits::Limit;
using linpoint::limits::Limits;
using linpoint::limits::LimitWatch;
using linpoint::limits::Sample;
using linpoint::limits::Step;

constexpr std::size_t kMegabyte = 1 << 20;

Limits limits() {
  return {.deadline = 10,
          .time_grace = 0.5,
          .interrupt_grace = 0.2,
          .memory = 300 * kMegabyte,
          .memory_ceiling = 315 * kMegabyte};
}

/// A process that has had a processor all the time.
Sample at(double now, std::size_t megabytes = 100, std::uint64_t interrupts = 0) {
  return {now, now, megabytes * kMegabyte, interrupts};
}

void nothing_is_reached() {
  LimitWatch watch(limits());
  const Step step = watch.look(at(1));
  EXPECT(step.announce == Limit::kNone);
  EXPECT(step.enforce == Limit::kNone);
}

void time_is_enforced_after_its_grace() {
  LimitWatch watch(limits());
  EXPECT(watch.look(at(9.99)).enforce == Limit::kNone);
  EXPECT(watch.look(at(10.0)).enforce == Limit::kNone);
  EXPECT(watch.look(at(10.49)).enforce == Limit::kNone);
  EXPECT(watch.look(at(10.51)).enforce == Limit::kTime);
}

void a_starved_process_gets_longer_but_not_for_ever() {
  LimitWatch watch(limits());
  const Sample sample{10.0, 3.0, 0, 0};
  EXPECT(watch.look(sample).enforce == Limit::kNone);
  EXPECT(watch.look({10.6, 3.1, 0, 0}).enforce == Limit::kNone);
  EXPECT(watch.look({10.7, 3.36, 0, 0}).enforce == Limit::kTime);
  LimitWatch asleep(limits());
  EXPECT(asleep.look(sample).enforce == Limit::kNone);
  EXPECT(asleep.look({11.9, 3.0, 0, 0}).enforce == Limit::kNone);
  EXPECT(asleep.look({12.1, 3.0, 0, 0}).enforce == Limit::kTime);
}

void an_interrupt_is_announced_once_and_enforced_after_its_grace() {
  LimitWatch watch(limits());
  EXPECT(watch.look(at(1)).announce == Limit::kNone);
  EXPECT(watch.look(at(2, 100, 1)).announce == Limit::kInterrupt);
  EXPECT(watch.look(at(2.1, 100, 2)).announce == Limit::kNone);
  EXPECT(watch.look(at(2.15, 100, 2)).enforce == Limit::kNone);
  EXPECT(watch.look(at(2.21, 100, 2)).enforce == Limit::kInterrupt);
}

void memory_is_announced_at_the_limit_and_enforced_at_the_ceiling() {
  LimitWatch watch(limits());
  EXPECT(watch.look(at(1, 300)).announce == Limit::kNone);
  Step step = watch.look(at(1, 301));
  EXPECT(step.announce == Limit::kMemory);
  EXPECT(step.enforce == Limit::kNone);
  EXPECT(watch.look(at(1, 310)).announce == Limit::kNone);
  EXPECT(watch.look(at(1, 316)).enforce == Limit::kMemory);
}

void memory_that_was_given_back_is_announced_anew() {
  LimitWatch watch(limits());
  EXPECT(watch.look(at(1, 301)).announce == Limit::kMemory);
  EXPECT(watch.look(at(1, 200)).announce == Limit::kNone);
  EXPECT(watch.look(at(1, 301)).announce == Limit::kNone);
  watch.resume();
  EXPECT(watch.look(at(1, 301)).announce == Limit::kMemory);
}

void nobody_sleeps_past_a_limit() {
  LimitWatch watch(limits());
  EXPECT(watch.look(at(1, 100)).wait <= 0.02);
  EXPECT(watch.look(at(1, 299)).wait <= 0.001);
  LimitWatch timed({.deadline = 10, .time_grace = 0.5, .interrupt_grace = 0.2});
  EXPECT(timed.look(at(1)).wait <= 1);
  EXPECT(timed.look(at(9.9)).wait <= 0.1001);
  EXPECT(timed.look(at(10.0)).wait <= 0.5);
  EXPECT(timed.look(at(10.1, 0, 1)).wait <= 0.2);
}

}  // namespace

int main() {
  nothing_is_reached();
  time_is_enforced_after_its_grace();
  a_starved_process_gets_longer_but_not_for_ever();
  an_interrupt_is_announced_once_and_enforced_after_its_grace();
  memory_is_announced_at_the_limit_and_enforced_at_the_ceiling();
  memory_that_was_given_back_is_announced_anew();
  nobody_sleeps_past_a_limit();
  return linpoint::tests::finish();
}
