// SPDX-License-Identifier: Apache-2.0
// Containers with removals whose outcome is unknown: each may have removed any value, or nothing.
//
// They are left out at first. If the remaining operations are a violation, one of its values that no other operation
// removed must have been removed by one of them: every such choice is tried. Exponential only in the relevant unknown
// removals.
#pragma once

#include <functional>
#include <vector>

#include "monitors/container_values.hpp"

namespace linpoint::monitors {

struct Handlings {
  std::vector<Handling> all;
  std::vector<Observation> empties;
  std::vector<Observation> unknown;  // removals
  std::int32_t gaps = 0;
};

using DecideContents = std::function<Found(const Contents&)>;

/// `first_in_first_out`: for a queue without looks and empty results the choice is determined. A value that no
/// operation removed has a deadline: the earliest end among the removals of values added entirely after it. In the
/// order of deadlines and of calls, the k-th removal must be called before the k-th deadline, and may remove that
/// value.
Found decide_handlings(Handlings& input, bool first_in_first_out, const DecideContents& decide,
                       search::StopToken& stop);

}  // namespace linpoint::monitors
