// SPDX-License-Identifier: Apache-2.0
// Threads that wait to be woken, as at a condition variable or a futex.
//
// To wake one is to leave a token that any of those may take who wait already, so the schedule decides who it is, and
// every choice is explored. A thread takes the oldest token that it may have: the younger ones may be had by all who
// may have the older, so nobody is left without who could have been woken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// What stands for the queue in the accesses of a step.
[[nodiscard]] inline Access at_queue(Mode mode, std::uint64_t queue) {
  return at_place(mode, Abstract::kWaiting, queue);
}

/// The running thread waits at the queue of this name, as an address, from now on. `mask`: as of FUTEX_WAIT_BITSET.
void begin_waiting(std::uint64_t queue, std::uint32_t mask = ~0U);
/// Whether there is a token for it, or everybody was woken since.
[[nodiscard]] bool is_woken(Thread thread);
/// Whether that was so before anybody was woken last: then it would have gone on without that.
[[nodiscard]] bool was_woken_before(Thread thread);
/// It waits no longer: takes its token if there is one.
void stop_waiting(Thread thread);
/// Whether there is one who waits, and be it woken.
[[nodiscard]] bool anybody_waits(std::uint64_t queue);
/// How many were woken.
std::uint32_t wake(std::uint64_t queue, std::uint32_t most, std::uint32_t mask = ~0U);

/// The object that has the queue was destroyed; and how often that has been, at this address.
void end_queue(std::uint64_t queue);
[[nodiscard]] std::size_t ends_of(std::uint64_t queue);

void restore_queues();

}  // namespace linpoint::runtime
