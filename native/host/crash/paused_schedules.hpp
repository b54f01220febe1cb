// SPDX-License-Identifier: Apache-2.0
// Two operations side by side (DL3): one is paused after one of its stores, the other runs to its end on what it saw.
//
// A process of its own goes through the operations before them, once for many schedules: where one is to begin,
// volatile memory and the pool are kept, each schedule runs on two fibers, and everything goes back to what was kept.
// What the two have done to the pool is told, with the lines that have changed since the last place; so the process
// that asks has the image before them, and recovers from what a crash leaves, with volatile memory that is fresh.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/crash/pool_images.hpp"
#include "host/crash/recovery_runs.hpp"

namespace linpoint::runtime::crash {

struct Schedule {
  std::size_t place = 0;    ///< so many operations of the plan come before
  unsigned first = 0;       ///< number of the one that is paused
  unsigned second = 0;      ///< and of the other one
  std::uint32_t store = 0;  ///< it is paused after so many stores to the pool

  auto operator<=>(const Schedule&) const = default;
};

struct Plan {
  std::vector<unsigned> order;      ///< numbers of operations before schedules, one after the other
  std::vector<Schedule> schedules;  ///< by place
  std::int64_t fuel = 0;            ///< for each of the two
  std::int64_t silence = 0;         ///< so many hooks without a store: the second waits for the first
};

/// What became of a schedule.
struct Overlap {
  Schedule schedule;
  bool feasible = false;  ///< both came so far
  std::vector<persistency::Event> events;
  std::uint16_t second_thread = 0;  ///< in the events
  std::uint64_t cursor = 0;         ///< of the pool, before them
  std::string result;               ///< of the second
};

class Schedules {
 public:
  Schedules() = default;
  Schedules(const Schedules&) = delete;
  Schedules& operator=(const Schedules&) = delete;
  ~Schedules() { stop(); }

  /// Begins with a plan. False if there can be no process for it.
  [[nodiscard]] bool start(const Plan& plan);
  /// The next schedule of it, with the image before it; false if there is none. The images must be what the last one
  /// left: nothing at all before the first.
  [[nodiscard]] bool next(Images& images, Overlap& overlap);
  void stop();
  /// Of the operations before the last schedule, as JSON.
  [[nodiscard]] const std::vector<std::string>& results_before() const { return results_before_; }

 private:
  [[nodiscard]] bool get_place(Images& images, std::uint32_t results, std::uint64_t lines);
  [[nodiscard]] bool get(void* bytes, std::size_t size);
  [[nodiscard]] bool fill();

  int channel_ = -1;
  int process_ = -1;
  std::uint64_t cursor_ = 0;
  std::vector<char> pending_;  ///< lines come by the hundred, each in a few words
  std::size_t taken_ = 0;
  std::size_t came_ = 0;
  std::vector<std::string> results_before_;
};

}  // namespace linpoint::runtime::crash
