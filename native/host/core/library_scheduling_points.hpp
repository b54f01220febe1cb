// SPDX-License-Identifier: Apache-2.0
// Steps of library functions that the program calls, and their replacements while constructors run before main: then
// there is a single thread, which is never interrupted, and waiting can never end.
#pragma once

#include <initializer_list>
#include <span>

#include "host/core/crash_mode.hpp"
#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime {

[[nodiscard]] inline std::span<const Access> span_of(const std::initializer_list<Access>& accesses) {
  return {accesses.begin(), accesses.size()};
}

inline constexpr StepTraits kFenced{.drains = true, .yields = false};

/// No other thread can end this wait.
[[noreturn]] inline void wait_for_ever(const void* caller) {
  if (phase == Phase::kPersistent) fail(Fault::kDeadlock, "blocks forever", caller);
  refuse("the program blocks forever before main");
}

inline void library_step(const StepInfo& info, std::initializer_list<Access> accesses, StepTraits traits = kFenced) {
  if (controlled())
    step(info, span_of(accesses), traits);
  else if (phase == Phase::kPersistent)
    crash::library_call(info);
}

inline void library_step_when(const StepInfo& info, std::initializer_list<Access> accesses, bool (*possible)(void*),
                              void* argument) {
  if (controlled()) {
    step_when(info, span_of(accesses), kFenced, possible, argument);
    return;
  }
  if (phase == Phase::kPersistent) crash::library_call(info);
  if (!possible(argument)) wait_for_ever(info.caller);
}

inline void library_step_was(std::initializer_list<Access> accesses, int success = -1) {
  if (controlled()) report_actual_effect(span_of(accesses), success);
}

/// Happens-before through an object with an address.
inline void publish(const volatile void* object) {
  if (controlled()) synchronize_release(reinterpret_cast<std::uint64_t>(object));
}
inline void observe(const volatile void* object) {
  if (controlled()) synchronize_acquire(reinterpret_cast<std::uint64_t>(object));
}

/// The thread that library objects belong to: while constructors run, the main thread.
[[nodiscard]] inline Thread acting_thread() { return in_program() ? current_thread() : 0; }

/// Whether the caller is the host itself, not the program.
[[nodiscard]] inline bool by_host() { return phase == Phase::kHost; }

}  // namespace linpoint::runtime
