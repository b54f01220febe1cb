// SPDX-License-Identifier: Apache-2.0
// A few operations on registers that violate buffered durability by themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/saved_moments.hpp"

namespace linpoint::monitors {

struct BufferedCore {
  Reason reason = Reason::kNone;
  std::vector<std::int32_t> operations;  // of the problem
};

/// Removes from a violation what does not contribute to it: values with all operations that wrote, read or replaced
/// them, and reads. `evidence` are operations to try first. If it is stopped, the remaining operations are still a
/// violation.
BufferedCore smallest_violation(std::span<const KeyAccesses> keys, const EraGaps& gaps,
                                std::span<const std::int32_t> evidence, search::StopToken& stop);

}  // namespace linpoint::monitors
