// SPDX-License-Identifier: Apache-2.0
#include "monitors/era_gaps.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::monitors {

DividedGaps divide_gaps(const search::Problem& problem) {
  DividedGaps divided;
  std::int32_t count = 0;
  divided.owns = intervals_of(problem, 0, count);
  std::vector<std::int32_t> crashes;
  for (std::size_t op = 0; op < problem.size(); ++op) {
    if (problem.position[op] != search::kCrashOperation) continue;
    crashes.push_back(divided.owns[op].first);
    divided.vague = divided.vague || divided.owns[op].first < divided.owns[op].last;
  }
  std::sort(crashes.begin(), crashes.end());
  divided.gaps = EraGaps(std::move(crashes), count);
  for (Interval& owns : divided.owns) owns = divided.gaps.divided(owns);
  return divided;
}

/// Survivors come first. In each part, ordering by the first gap in which an operation can take effect, after its
/// predecessors on its key, respects the order of time.
void EraOrder::end_era(bool crashed) {
  if (crashed) {
    survivors.push_back(static_cast<std::int32_t>(surviving_.size()));
    eras.push_back(static_cast<std::int32_t>(surviving_.size() + lost_.size()));
  }
  for (std::vector<Placed>* part : {&surviving_, &lost_}) {
    std::stable_sort(part->begin(), part->end(), [](const Placed& a, const Placed& b) { return a.gap < b.gap; });
    for (const Placed& each : *part) order.push_back(each.op);
    part->clear();
  }
}

}  // namespace linpoint::monitors
