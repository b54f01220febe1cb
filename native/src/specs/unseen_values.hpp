// SPDX-License-Identifier: Apache-2.0
// Values that are stored and that no operation looks for: nobody can tell them apart, so they are one.
#pragma once

#include <span>

#include "specs/native_operation.hpp"

namespace linpoint::specs {

/// The values that some operation looks for: results, and what a compare-and-set compares with.
ValueSet values_seen(std::span<const Instruction> code);

/// Makes one of all values that are stored and not among those `seen`.
void merge_unseen(std::span<Instruction> code, const ValueSet& seen);

}  // namespace linpoint::specs
