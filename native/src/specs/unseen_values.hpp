// SPDX-License-Identifier: Apache-2.0
// Values that are stored but never observed: no operation can distinguish them, so they are identified.
#pragma once

#include <span>

#include "specs/native_operation.hpp"

namespace linpoint::specs {

/// The values that some operation observes: results, and expected values of a compare-and-set.
ValueSet values_seen(std::span<const Instruction> code);

/// Identifies all stored values that are not among those `seen`.
void merge_unseen(std::span<Instruction> code, const ValueSet& seen);

}  // namespace linpoint::specs
