// SPDX-License-Identifier: Apache-2.0
// Replaying an order under buffered durability: a crash takes every object back to what the survivors of its era left.
//
// Shares with the monitors and searches what `check_replay` shares: reading operations. Cost: O(1) an operation, and a
// copy of each object for each era in which operations on it are lost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// An order that goes era by era. For each era that a crash ends: how many operations it has, and how many of them
/// survive, which come first.
struct EraOrder {
  std::span<const std::int32_t> order;
  std::span<const std::int32_t> eras;
  std::span<const std::int32_t> survivors;
};

/// Which operation cannot take effect in its era, or is rejected by its object, if any. `object_of` numbers the object
/// of each position; `contents` are those of the objects at first (as for `check_replay`).
Finding check_eras(const histories::Columns& columns, const EraOrder& witness, const specs::Blueprint& blueprint,
                   std::span<const std::int32_t> object_of, std::span<const std::vector<std::int64_t>> contents);

}  // namespace linpoint::verdicts
