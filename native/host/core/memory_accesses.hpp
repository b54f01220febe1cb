// SPDX-License-Identifier: Apache-2.0
// The common part of all memory accesses of the program, whichever hook reports them.
#pragma once

#include <cstdint>
#include <vector>

#include "host/core/data_races.hpp"
#include "host/core/scheduler.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// Races that did not end their run.
extern std::vector<Finding> reported_races;

/// Reports a race, and ends the run if configured so.
void report_race(const Task& task, const PastAccess& past, const NewAccess& now);

struct Touch {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  const void* caller = nullptr;
  bool writes = false;
  bool atomic = false;
};

/// Checks that the memory may be accessed at all.
inline void check_memory(const Touch& touch) {
  static Range arena{};
  if (arena.end == 0) [[unlikely]]
    arena = library::arena();
  if (touch.address < arena.end && arena.begin < touch.address + touch.size)
    library::check(reinterpret_cast<const void*>(touch.address), touch.size, touch.writes, touch.caller);
}

/// Checks for races with earlier accesses. What a thread does before another thread exists races with nothing.
inline void check_race(Task& task, const Touch& touch) {
  if (options.races == Races::kIgnore || scheduler.threads() == 1) return;
  const std::uint32_t number = scheduler.trace.on() ? scheduler.trace.number() : 0;
  const NewAccess now{touch.address, touch.size, touch.caller, number, touch.writes, touch.atomic};
  const PastAccess* past = scheduler.races.access(task.number, now);
  if (past != nullptr) [[unlikely]]
    report_race(task, *past, now);
}

/// A step of the running thread at one place. While the thread is alone there is no step: returns false.
bool take_turn(Task& task, const Touch& touch, Kind kind, bool drains);

}  // namespace linpoint::runtime
