// SPDX-License-Identifier: Apache-2.0
// Which code of the program is that of the standard library's templates.
//
// Where a compiler does not put them inline, as at -O0, all stores to atomics come from one place in the code, that of
// std::atomic::store. Whoever wants to know which line has stored must look at who has called it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/core/scheduling_points.hpp"

namespace linpoint::runtime::crash {

class StandardCode {
 public:
  /// From the symbols of a file that is loaded at this address. Without symbols it has none of that code.
  void read(const char* path, std::uint64_t base);
  /// Whether a return address is in such a function.
  [[nodiscard]] bool contains(std::uint64_t code) const {
    const auto after = std::ranges::lower_bound(functions_, code, {}, &Range::begin);
    return after != functions_.begin() && code <= std::prev(after)->end;
  }

 private:
  std::vector<Range> functions_;  ///< in order
};

}  // namespace linpoint::runtime::crash
