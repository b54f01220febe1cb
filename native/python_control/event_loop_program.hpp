// SPDX-License-Identifier: Apache-2.0
// A program under control that is written in Python, as an event loop is: it shows its processes and asks who goes
// next.
//
// What a step of such a program reads and writes is not known, so each is taken to touch everything: no two steps of
// different processes commute. Guarantee: with that, every explorer shows each order of the steps. Cost: no reduction.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// What is shown of a process: one byte, of these bits.
enum class Shown : std::uint8_t { kAlive = 1, kEnabled = 2, kYields = 4 };

/// Who goes next; kNobody if this run would show nothing new. `usual` goes on by default; any other one costs a
/// preemption.
[[nodiscard]] explore::Process ask(explore::Explorer& explorer, std::string_view processes, explore::Process usual);

/// The run is over.
void tell_end(explore::Explorer& explorer, std::string_view processes, explore::Ending ending);

/// The methods `choose` and `end` of explorers.
void bind_asking(nanobind::class_<explore::Explorer>& explorer);

}  // namespace linpoint::control
