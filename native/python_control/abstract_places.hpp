// SPDX-License-Identifier: Apache-2.0
// Places that steps touch and that are no objects of Python's: locks, ends and starts of processes, the time.
#pragma once

#include "python_control/thread_controller.hpp"

namespace linpoint::control {

constexpr std::uint64_t kPlaces = 1;  // places of our own; those of Python's objects are far away
constexpr Access kTime{kPlaces, kPlaces + 1, Mode::kRead};
/// In which order processes get their numbers.
constexpr Access kNumbers{kPlaces + 1, kPlaces + 2, Mode::kWrite};

/// A place of its own for a thing that lives at an address.
[[nodiscard]] inline Access at(const void* thing, Mode mode) {
  const auto address = reinterpret_cast<std::uint64_t>(thing);  // NOLINT: a name, never followed
  return {address, address + 1, mode};
}

/// Where a process is started: ordered before its first step.
[[nodiscard]] inline Access start_of(const ProcessSlot& slot, Mode mode) { return at(&slot.body, mode); }

}  // namespace linpoint::control
