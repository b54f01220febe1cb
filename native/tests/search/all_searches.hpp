// SPDX-License-Identifier: Apache-2.0
// The searches by name, for tests that hold for all of them.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "linpoint/search/search.hpp"

namespace linpoint::tests {

using search::Problem;
using search::Search;
using search::Status;
using search::StopToken;

constexpr std::uint64_t kNoLimit = UINT64_MAX;

struct Algorithm {
  const char* name;
  std::unique_ptr<Search> (*begin)(const Problem& problem, std::unique_ptr<specs::Steps> steps, StopToken& stop);
};

template <search::Order kOrder>
std::unique_ptr<Search> depth_first_alone(const Problem& problem, std::unique_ptr<specs::Steps> steps,
                                          StopToken& stop) {
  return search::depth_first(problem, std::move(steps), stop, search::seen_table(problem, stop), kOrder);
}

inline constexpr std::array kTabled{
    Algorithm{"depth-first", depth_first_alone<search::Order::kFirstCalled>},
    Algorithm{"depth-first, reversed", depth_first_alone<search::Order::kLastCalled>},
    Algorithm{"linear", search::linear},
    Algorithm{"linear, depth-first", depth_first_alone<search::Order::kFirstReturned>},
};

inline constexpr std::array kAlgorithms{
    Algorithm{"wing-gong", search::wing_gong}, kTabled[0], kTabled[1], kTabled[2], kTabled[3],
};

}  // namespace linpoint::tests
