// SPDX-License-Identifier: Apache-2.0
// Time and chance, the same in every run.
//
// Each thread has a clock and dice of its own, so that what it sees depends on nothing but what it did itself: runs
// that differ only in the order of independent steps show the same.
#pragma once

#include <cstdint>

namespace linpoint::runtime {

void keep_world();
void restore_world();
/// Lets the running thread's clock go on to that time, or by so much, in nanoseconds.
void sleep_until(std::int64_t time);
void sleep_for(std::int64_t time);
[[nodiscard]] std::uint64_t throw_dice();

}  // namespace linpoint::runtime
