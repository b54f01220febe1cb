// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/threads/timed_waits.hpp"

#include <array>

#include "host/core/library_scheduling_points.hpp"
#include "host/interpose/process/clock_and_environment.hpp"

namespace linpoint::runtime {

namespace {

/// How often a thread may time out in a run although others could continue.
constexpr unsigned kMostFreely = 2;
constexpr std::int64_t kSecond = 1'000'000'000;

struct Count {
  unsigned given_up = 0;
  bool waits = false;     ///< with a limit
  bool released = false;  ///< no other thread could continue
};
std::array<Count, kMostThreads> counts;
bool any_used = false;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

}  // namespace

Patience no_limit() { return {.limited = false, .baseless = options.spurious, .thread = acting_thread()}; }

Patience until(const timespec& time) {
  return {.limited = true, .baseless = options.spurious, .thread = acting_thread(), .deadline = nanoseconds(time)};
}

Patience for_as_long_as(const timespec& time) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  Patience patience = until(time);
  patience.deadline += nanoseconds(now);
  return patience;
}

bool may_give_up(const Patience& patience) {
  if (!patience.limited && !patience.baseless) return false;
  const Count& count = counts[patience.thread];
  return count.given_up < kMostFreely || count.released;
}

void give_up(const Patience& patience) {
  ++counts[patience.thread].given_up;
  if (patience.limited) sleep_until(patience.deadline);
}

void begin_patience(const Patience& patience) {
  if (!patience.limited && !patience.baseless) return;
  if (controlled())
    qualify(patience.limited ? "timed waits time out at most twice in each thread"
                             : "condition variables wake spuriously at most twice in each thread");
  any_used = true;
  counts[patience.thread].waits = patience.limited;
  counts[patience.thread].released = false;
}

void end_patience(const Patience& patience) { counts[patience.thread].waits = false; }

void restore_patience() {
  if (any_used) counts.fill({});
  any_used = false;
}

namespace library {

bool time_passes() {
  bool any = false;
  for (Count& count : counts) {
    any = any || (count.waits && !count.released);
    count.released = count.released || count.waits;
  }
  return any;
}

}  // namespace library

}  // namespace linpoint::runtime
