// SPDX-License-Identifier: Apache-2.0
// Time in nanoseconds, comparable between threads.
//
// std::chrono::steady_clock is one clock for the whole system: a thread that reads it after another thread's reading
// was passed on never reads a smaller value. That is all a history needs. It also holds on machines where each
// processor counts its own ticks, for which a plain tick counter would not suffice.
#pragma once

#include <chrono>
#include <cstdint>

inline std::int64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

inline void wait_busily(std::int64_t duration) {
  if (duration <= 0) return;
  for (const std::int64_t end = nanoseconds() + duration; nanoseconds() < end;) {
  }
}
