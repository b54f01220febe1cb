// SPDX-License-Identifier: Apache-2.0
// Re-checking that a count cannot be right, by counting: from the recorded times and results alone. Cost: O(n).
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// Whether the telling operations of a counter, or of one that gives everyone its count, contradict the others as
/// `reason` says. Times that touch count as overlapping, but within a process; so a true refutation may go unproved.
///
///   too low    the steps that certainly came before the last of them (after an earlier read, on top of what that
///              read) are more than it saw
///   too high   the steps that can have come before it are fewer than it saw
///   same       two were given the same count
///   inverted   the first was given less than the second, but was called after that had returned
bool check_count(const histories::Columns& columns, std::span<const std::int32_t> positions,
                 std::span<const std::int32_t> telling, monitors::Reason reason, const specs::Blueprint& blueprint,
                 std::int64_t initial);

}  // namespace linpoint::verdicts
