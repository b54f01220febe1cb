// SPDX-License-Identifier: Apache-2.0
// Replays an order under buffered durability: a crash restores every object to the state that the survivors of its era
// left.
//
// Shares with the monitors and searches only what `check_replay` shares: the reading of operations. Cost: O(1) per
// operation, and a copy of each object for each era in which operations on it are lost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// An order by eras. For each era that a crash ends: its number of operations, and how many of them survive (the
/// survivors come first).
struct EraOrder {
  std::span<const std::int32_t> order;
  std::span<const std::int32_t> eras;
  std::span<const std::int32_t> survivors;
};

/// The operation that cannot take effect in its era, or that its object rejects, if any. `object_of` gives the object
/// number of each position; `contents` are the initial contents of the objects (as for `check_replay`).
Finding check_eras(const histories::Columns& columns, const EraOrder& witness, const specs::Blueprint& blueprint,
                   std::span<const std::int32_t> object_of, std::span<const std::vector<std::int64_t>> contents);

}  // namespace linpoint::verdicts
