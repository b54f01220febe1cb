// SPDX-License-Identifier: Apache-2.0
// The line of each operation. Usually it is one more than the line of the previous operation, and takes no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linpoint::histories {

class LineNumbers {
 public:
  /// Positions come in ascending order; so do lines, unless events are ordered differently from their lines.
  void add(std::size_t position, std::int32_t line) {
    const std::int64_t ahead = line - static_cast<std::int64_t>(position);
    if (jumps_.empty() || jumps_.back().ahead != ahead)
      jumps_.push_back({static_cast<std::int32_t>(position), static_cast<std::int32_t>(ahead)});
  }

  [[nodiscard]] std::int32_t operator[](std::size_t position) const {
    const auto after = std::ranges::upper_bound(jumps_, static_cast<std::int32_t>(position), {}, &Jump::position);
    return static_cast<std::int32_t>(position) + (after - 1)->ahead;
  }

  /// Appends the operations of a text that follows one with this many operations and lines.
  void append(const LineNumbers& other, std::size_t operations, std::int32_t lines) {
    for (const Jump& jump : other.jumps_) {
      const auto position = static_cast<std::size_t>(jump.position);
      add(operations + position, lines + jump.position + jump.ahead);
    }
  }

 private:
  struct Jump {
    std::int32_t position;
    std::int32_t ahead;  // by how much the lines of operations from here on exceed their positions
  };
  std::vector<Jump> jumps_;
};

}  // namespace linpoint::histories
