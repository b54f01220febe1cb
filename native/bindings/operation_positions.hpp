// SPDX-License-Identifier: Apache-2.0
// Positions of operations that stay in the native core until Python reads them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace linpoint::bindings {

/// To Python, a sequence of integers; a list is accepted wherever one is expected.
struct Positions {
  std::vector<std::int32_t> all;

  Positions() = default;
  Positions(std::vector<std::int32_t> positions) : all(std::move(positions)) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace linpoint::bindings
