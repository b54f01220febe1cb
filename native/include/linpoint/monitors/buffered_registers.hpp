// SPDX-License-Identifier: Apache-2.0
// Buffered durability of registers and map entries whose values are written once each, of all keys together.
//
// A crash takes every key back to one moment of the era that it ended: what took effect by then survives. So there is
// an order iff each era has a *saved moment* such that, on each key, the operations of the era have an order that
// begins with the value the last crash left and holds, at the saved moment, the value that the next one leaves.
// A value seen in a later era than the one it was written in tells which value each crash between them left; where
// nobody tells, any will do. A value that a crash left is a read at the saved moment, and the moments at which such a
// read fits are the union of a few runs of gaps (register_read_gaps.cpp). The runs of all keys must meet.
// The latest common moment is taken, so that what survives is long. Cost: O(n log n), and O(n) memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/monitors/monitor.hpp"

namespace linpoint::monitors {

struct BufferedOutcome {
  Status status = Status::kExcluded;
  /// Positions of the operations in their order, era by era. For each era that a crash ended: how many operations it
  /// has, and how many of them survive, which come first.
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> eras;
  std::vector<std::int32_t> survivors;
  Reason reason = Reason::kNone;
  /// Positions of operations that are a violation by themselves: no value and no read of them can be left out.
  std::vector<std::int32_t> scope;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
};

/// Decides the operations of a problem of buffered durability. `key_of` numbers the key of each position, and
/// `contents` says what each key holds at first (as for `NativeMachine::state`).
BufferedOutcome decide_buffered(const histories::Columns& columns, const search::Problem& problem,
                                const specs::Blueprint& blueprint, std::span<const std::int32_t> key_of,
                                std::span<const std::vector<std::int64_t>> contents, search::StopToken& stop);

}  // namespace linpoint::monitors
