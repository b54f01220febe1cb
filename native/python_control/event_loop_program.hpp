// SPDX-License-Identifier: Apache-2.0
// A program under control that is written in Python, such as an event loop: it reports its processes and asks which one
// runs next.
//
// The reads and writes of a step are unknown, so each step is treated as touching everything: no two steps of different
// processes commute. Guarantee: under this treatment, every explorer shows each order of the steps. Cost: no reduction.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::control {

/// The state of a process: one byte with these bits.
enum class Shown : std::uint8_t { kAlive = 1, kEnabled = 2, kYields = 4 };

/// The process to run next; kNobody if this run would show nothing new. `usual` is the default; any other choice costs
/// a preemption.
[[nodiscard]] explore::Process ask(explore::Explorer& explorer, std::string_view processes, explore::Process usual);

/// Ends the run.
void tell_end(explore::Explorer& explorer, std::string_view processes, explore::Ending ending);

/// The methods `choose` and `end` of explorers.
void bind_asking(nanobind::class_<explore::Explorer>& explorer);

}  // namespace linpoint::control
