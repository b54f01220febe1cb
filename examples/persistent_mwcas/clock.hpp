// SPDX-License-Identifier: Apache-2.0
// Time in nanoseconds, comparable between threads.
//
// std::chrono::steady_clock is one clock for the whole system: a thread that reads it after another thread's reading
// was passed on never reads less. That is all that a history needs, and it holds on machines whose processors count
// ticks each for itself, where a bare tick counter would not do.
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
