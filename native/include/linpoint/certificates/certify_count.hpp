// SPDX-License-Identifier: Apache-2.0
// Re-checks that a count cannot be correct by counting from the recorded times and results alone. Cost: O(n).
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// Whether the evidence operations of a counter, or of a fetch-and-add counter, contradict the other
/// operations in the way `reason` names. Intervals that touch count as overlapping, except within one process; so a
/// true refutation may fail this check.
///
///   too low    more steps certainly came before the last of them than it observed (after an earlier read: those
///              since that read, added to its count)
///   too high   fewer steps can have come before it than it observed
///   same       two operations were given the same count
///   inverted   the first was given a smaller count than the second, but was called after the second had returned
bool check_count(const histories::Columns& columns, std::span<const std::int32_t> positions,
                 std::span<const std::int32_t> evidence, monitors::Reason reason, const specs::Blueprint& blueprint,
                 std::int64_t initial);

}  // namespace linpoint::verdicts
