// SPDX-License-Identifier: Apache-2.0
// The program's code that belongs to the standard library's templates.
//
// If a compiler does not inline them, as with -O0, all stores to atomics come from one place in the code, that of
// std::atomic::store. The line that stored is then found by looking at the caller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime::crash {

class StandardCode {
 public:
  /// Reads the symbols of a file loaded at this address. Without symbols, there is no such code.
  void read(const char* path, std::uint64_t base);
  /// Whether a return address is in such a function.
  [[nodiscard]] bool contains(std::uint64_t code) const {
    const auto after = std::ranges::lower_bound(functions_, code, {}, &Range::begin);
    return after != functions_.begin() && code <= std::prev(after)->end;
  }

 private:
  std::vector<Range> functions_;  ///< ascending
};

}  // namespace linpoint::runtime::crash
