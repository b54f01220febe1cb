// SPDX-License-Identifier: Apache-2.0
// Positions of operations that stay in the native core until somebody looks at them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace linpoint::bindings {

/// To Python a sequence of integers; wherever one is asked for, a list will do.
struct Positions {
  std::vector<std::int32_t> all;

  Positions() = default;
  Positions(std::vector<std::int32_t> positions) : all(std::move(positions)) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace linpoint::bindings
