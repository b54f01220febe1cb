// SPDX-License-Identifier: Apache-2.0
// Waits that end by themselves: with a limit in time, or without a reason.
//
// Each may end or not, and both are explored; but a loop of such waits would never be explored to its end. So a thread
// gives up a few times only in a run, and later when nobody else can go on.
#pragma once

#include <cstdint>
#include <ctime>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// One wait of the running thread.
struct Patience {
  bool limited = false;   ///< in time
  bool baseless = false;  ///< may end without a reason, as of a condition variable with --spurious
  Thread thread = 0;
  std::int64_t deadline = 0;
};

[[nodiscard]] Patience no_limit();
/// An absolute time, or one from now on.
[[nodiscard]] Patience until(const timespec& time);
[[nodiscard]] Patience for_as_long_as(const timespec& time);

/// Whether the wait may end now.
[[nodiscard]] bool may_give_up(const Patience& patience);
/// It has ended so.
void give_up(const Patience& patience);
/// The wait begins, and is over.
void begin_patience(const Patience& patience);
void end_patience(const Patience& patience);

void restore_patience();

}  // namespace linpoint::runtime
