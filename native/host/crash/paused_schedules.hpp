// SPDX-License-Identifier: Apache-2.0
// Two concurrent operations (DL3): one is paused after one of its stores, the other runs to its end on what it sees.
//
// A separate process executes the operations before them, once for many schedules. Where a schedule is to begin,
// volatile memory and the pool are saved, each schedule runs on two fibers, and everything is restored. The process
// sends the two operations' effects on the pool, and the lines that have changed since the last place. So the
// requesting process has the image before them, and recovers from the state after a crash with fresh volatile memory.
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
  std::size_t place = 0;    ///< number of operations of the plan that come before
  unsigned first = 0;       ///< number of the operation that is paused
  unsigned second = 0;      ///< number of the other one
  std::uint32_t store = 0;  ///< number of stores to the pool after which it is paused

  auto operator<=>(const Schedule&) const = default;
};

struct Plan {
  std::vector<unsigned> order;      ///< numbers of the operations before schedules, in order
  std::vector<Schedule> schedules;  ///< by place
  std::int64_t fuel = 0;            ///< for each of the two
  std::int64_t silence = 0;         ///< number of hooks without a store after which the second counts as waiting for
                                    ///< the first
};

/// The result of a schedule.
struct Overlap {
  Schedule schedule;
  bool feasible = false;  ///< the first reached its store, and the second its end
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

  /// Starts a plan. False if no process can be created for it.
  [[nodiscard]] bool start(const Plan& plan);
  /// The next schedule of the plan, with the image before it; false if there is none. The images must be unchanged
  /// since the last schedule, and empty before the first.
  [[nodiscard]] bool next(Images& images, Overlap& overlap);
  void stop();
  /// The results of the operations before the last schedule, as JSON.
  [[nodiscard]] const std::vector<std::string>& results_before() const { return results_before_; }

 private:
  [[nodiscard]] bool get_place(Images& images, std::uint32_t results, std::uint64_t lines);
  [[nodiscard]] bool get(void* bytes, std::size_t size);
  [[nodiscard]] bool fill();

  int channel_ = -1;
  int process_ = -1;
  std::uint64_t cursor_ = 0;
  std::vector<char> pending_;  ///< buffered, since hundreds of lines arrive in a few words each
  std::size_t taken_ = 0;
  std::size_t came_ = 0;
  std::vector<std::string> results_before_;
};

}  // namespace linpoint::runtime::crash
