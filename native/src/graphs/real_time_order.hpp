// SPDX-License-Identifier: Apache-2.0
// The order of time between the operations of a graph, as a condition defines it.
//
// Operations are places among the given positions, so that this order and the effects can be read concurrently.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/graphs/precedence.hpp"

namespace linpoint::graphs {

using histories::kNone;

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// The order that the condition requires in addition to times.
class PairEdges {
 public:
  PairEdges() = default;
  PairEdges(std::size_t operations, const std::vector<search::Pair>& pairs);
  [[nodiscard]] std::span<const std::int32_t> before(std::int32_t operation) const {
    if (items_.empty()) return {};
    const std::size_t first = first_[at(operation)];
    return std::span(items_).subspan(first, first_[at(operation) + 1] - first);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::int32_t> items_;
};

/// One operation precedes another if its return is less than the other's call, or if a pair says so.
struct Timing {
  Timing() = default;
  Timing(const histories::Columns& columns, std::span<const std::int32_t> positions, search::Condition condition,
         Rules rules);

  std::vector<std::int64_t> call;
  std::vector<std::int64_t> ret;
  PairEdges pairs;
};

}  // namespace linpoint::graphs
