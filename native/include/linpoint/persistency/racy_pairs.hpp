// SPDX-License-Identifier: Apache-2.0
// Pairs of operations to run concurrently (DL3): one stores what the other reads or writes, in a trace of one thread.
//
// As in Fu et al.: Durinn (OSDI 2022), 5.3.3; only a run can show whether they race when they run concurrently. The
// nearest operations come first, and each pair of places in the code comes once before any comes twice. Cost: linear in
// the accesses, times the places in the code that access the same word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/persistency/linearization_points.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::persistency {

struct RacyPair {
  std::uint32_t first = 0;   ///< the operation that is paused after `store`
  std::uint32_t second = 0;  ///< the one that runs then; in the trace it may come first
  std::uint32_t store = 0;   ///< an event of the first
  std::uint32_t access = 0;  ///< an event of the second, to some of the same bytes
};

enum class Racing : std::uint8_t { kPoints, kAllStores };

[[nodiscard]] std::vector<RacyPair> find_racy_pairs(std::span<const Event> trace, const Points& points, Racing stores,
                                                    std::size_t most);

}  // namespace linpoint::persistency
