// SPDX-License-Identifier: Apache-2.0
// Threads that wait to be woken, for example at a condition variable or a futex.
//
// Waking a thread leaves a token that any thread already waiting may take. So the schedule decides which thread it is,
// and every choice is explored. A thread takes the oldest token available to it: any thread that may take an older
// token may also take a younger one, so no thread is left without a token if one could have been assigned to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

/// The place of the queue in the accesses of a step.
[[nodiscard]] inline Access at_queue(Mode mode, std::uint64_t queue) {
  return at_place(mode, Abstract::kWaiting, queue);
}

/// The running thread waits at the queue of this name, which is an address, from now on. `mask`: as in
/// FUTEX_WAIT_BITSET.
void begin_waiting(std::uint64_t queue, std::uint32_t mask = ~0U);
/// Whether there is a token for it, or all threads were woken since.
[[nodiscard]] bool is_woken(Thread thread);
/// Whether that held before the last wake-up: then it would have continued without that one.
[[nodiscard]] bool was_woken_before(Thread thread);
/// It stops waiting, and takes its token if there is one.
void stop_waiting(Thread thread);
/// Whether any thread waits, woken or not.
[[nodiscard]] bool anybody_waits(std::uint64_t queue);
/// The number of threads woken.
std::uint32_t wake(std::uint64_t queue, std::uint32_t most, std::uint32_t mask = ~0U);

/// The object with the queue was destroyed; and how often that has happened at this address.
void end_queue(std::uint64_t queue);
[[nodiscard]] std::size_t ends_of(std::uint64_t queue);

void restore_queues();

}  // namespace linpoint::runtime
