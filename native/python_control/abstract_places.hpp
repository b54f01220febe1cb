// SPDX-License-Identifier: Apache-2.0
// Places that steps touch and that are not Python objects: locks, ends and starts of processes, the time.
#pragma once

#include "python_control/thread_controller.hpp"

namespace linpoint::control {

constexpr std::uint64_t kPlaces = 1;  // places of our own, far away from those of Python's objects
constexpr Access kTime{kPlaces, kPlaces + 1, Mode::kRead};
/// The order in which processes get their numbers.
constexpr Access kNumbers{kPlaces + 1, kPlaces + 2, Mode::kWrite};

/// A place of its own for a thing at an address.
[[nodiscard]] inline Access at(const void* thing, Mode mode) {
  const auto address = reinterpret_cast<std::uint64_t>(thing);  // NOLINT: an identifier, never dereferenced
  return {address, address + 1, mode};
}

/// The start of a process: ordered before its first step.
[[nodiscard]] inline Access start_of(const ProcessSlot& slot, Mode mode) { return at(&slot.body, mode); }

}  // namespace linpoint::control
