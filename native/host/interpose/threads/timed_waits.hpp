// SPDX-License-Identifier: Apache-2.0
// Waits that end by themselves: with a timeout, or spuriously.
//
// Each may end or not, and both are explored; but a loop of such waits would never be explored completely. So a thread
// times out only a few times in a run, and after that only when no other thread can continue.
#pragma once

#include <cstdint>
#include <ctime>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// One wait of the running thread.
struct Patience {
  bool limited = false;   ///< in time
  bool baseless = false;  ///< may end spuriously, such as on a condition variable with --spurious
  Thread thread = 0;
  std::int64_t deadline = 0;
};

[[nodiscard]] Patience no_limit();
/// An absolute time, or one relative to now.
[[nodiscard]] Patience until(const timespec& time);
[[nodiscard]] Patience for_as_long_as(const timespec& time);

/// Whether the wait may end now.
[[nodiscard]] bool may_give_up(const Patience& patience);
/// The wait has ended by itself.
void give_up(const Patience& patience);
/// The wait begins, and ends.
void begin_patience(const Patience& patience);
void end_patience(const Patience& patience);

void restore_patience();

}  // namespace linpoint::runtime
