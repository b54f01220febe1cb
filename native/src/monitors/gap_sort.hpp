// SPDX-License-Identifier: Apache-2.0
// Sorting by gap first: gaps are small numbers, so counting moves each place close to its final position, and the
// remaining comparisons fit the cache. Cost: O(n + gaps), and O(k log k) for each gap with k places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// Sorts by `gap`, which is below `gaps`, and then by `before`.
template <typename Place, typename Before>
void sort_by_gap(std::vector<Place>& places, std::int32_t gaps, Before before) {
  std::vector<std::int32_t> start(at(gaps) + 1);
  for (const Place& place : places) ++start[at(place.gap) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Place> sorted(places.size());
  std::vector<std::int32_t> next(start.begin(), start.end() - 1);
  for (const Place& place : places) sorted[at(next[at(place.gap)]++)] = place;
  for (std::size_t gap = 0; gap + 1 < start.size(); ++gap)
    if (start[gap + 1] - start[gap] > 1)
      std::sort(sorted.begin() + start[gap], sorted.begin() + start[gap + 1], before);
  places = std::move(sorted);
}

}  // namespace linpoint::monitors
