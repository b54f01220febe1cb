// SPDX-License-Identifier: Apache-2.0
// Containers with removals whose outcome is unknown: each may have removed any value, or nothing.
//
// They are left out at first. If the rest is a violation, one of the values that make it and that nobody removed must
// have been removed by one of them: every such choice is tried. Exponential only in the unknown removals that matter.
#pragma once

#include <functional>
#include <vector>

#include "monitors/contents.hpp"

namespace linpoint::monitors {

struct Handlings {
  std::vector<Handling> all;
  std::vector<Observation> empties;
  std::vector<Observation> unknown;  // removals
  std::int32_t gaps = 0;
};

using DecideContents = std::function<Found(const Contents&)>;

Found decide_handlings(Handlings& input, const DecideContents& decide, search::StopToken& stop);

}  // namespace linpoint::monitors
