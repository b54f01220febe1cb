// SPDX-License-Identifier: Apache-2.0
// Buffered durability of registers and map entries whose values are written once each, for all keys together.
//
// A crash restores every key to one moment of the era that it ended: what took effect by then survives. So there is an
// order iff each era has a *saved moment* such that, on each key, the operations of the era have an order that begins
// with the value the last crash left and holds, at the saved moment, the value that the next crash leaves. A value
// observed in a later era than the one it was written in determines which value each crash between them left; if there
// is no such observation, any value is possible. A value that a crash left is a read at the saved moment, and the
// moments at which such a read fits are the union of a few runs of gaps (register_read_gaps.cpp). The runs of all keys
// must have a common moment. The latest one is taken, so that as much as possible survives. Cost: O(n log n) time, O(n)
// memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/monitors/monitor.hpp"

namespace linpoint::monitors {

struct BufferedOutcome {
  Status status = Status::kExcluded;
  /// Positions of the operations in order, era by era. For each era that a crash ended: its number of operations, and
  /// how many of them survive (the survivors come first).
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> eras;
  std::vector<std::int32_t> survivors;
  Reason reason = Reason::kNone;
  /// Positions of operations that are a violation by themselves: none of their values and reads can be left out.
  std::vector<std::int32_t> scope;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
};

/// Decides the operations of a problem of buffered durability. `key_of` gives the key number of each position, and
/// `contents` the initial content of each key (as for `NativeMachine::state`).
BufferedOutcome decide_buffered(const histories::Columns& columns, const search::Problem& problem,
                                const specs::Blueprint& blueprint, std::span<const std::int32_t> key_of,
                                std::span<const std::vector<std::int64_t>> contents, search::StopToken& stop);

}  // namespace linpoint::monitors
