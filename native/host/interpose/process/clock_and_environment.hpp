// SPDX-License-Identifier: Apache-2.0
// Time and random numbers, the same in every run.
//
// Each thread has its own clock and random numbers, so that its observations depend only on its own actions: runs that
// differ only in the order of independent steps show the same.
#pragma once

#include <cstdint>

namespace linpoint::runtime {

void keep_world();
void restore_world();
/// Advances the running thread's clock to that time, or by that amount, in nanoseconds.
void sleep_until(std::int64_t time);
void sleep_for(std::int64_t time);
[[nodiscard]] std::uint64_t throw_dice();

}  // namespace linpoint::runtime
