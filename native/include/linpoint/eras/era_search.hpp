// SPDX-License-Identifier: Apache-2.0
// Buffered durability of objects of any spec, decided object by object and era by era.
//
// A crash restores all objects to one moment of the era that it ended. Once these moments are known, each object can be
// decided independently. For each object and era, the search explores all configurations (operations that took effect,
// state) on a path through the era. The configurations whose state the next era can begin with determine at which
// moments the object can be saved. Then the search chooses, for each crash, a moment that suits all objects, the latest
// first, and backtracks if a choice leads nowhere. Exact for histories ordered by time alone. Cost: O(n 2^k)
// configurations per object for n operations of which up to k are open concurrently, times the states that one set of
// operations can leave; few moments are ever tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::eras {

enum class Answer : int { kFound = 0, kRefuted = 1, kStopped = 2, kExcluded = 3 };

/// The operations of one object, as indices into the problem, and its initial state.
struct Object {
  std::vector<std::int32_t> operations;
  specs::State initial = 0;
};

struct EraAnswer {
  Answer answer = Answer::kStopped;
  /// Operations of the problem in order, era by era. For each era that a crash ended: its number of operations, and how
  /// many of them survive (the survivors come first).
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> eras;
  std::vector<std::int32_t> survivors;
  std::uint64_t configurations = 0;
};

/// Decides a problem of buffered durability whose operations are those of the objects. Pairs are ignored. Excluded:
/// more than 64 operations of one object open concurrently, or a crash without a certain moment.
EraAnswer search_eras(const search::Problem& problem, std::span<const Object> objects, const specs::Machine& machine,
                      search::StopToken& stop);

}  // namespace linpoint::eras
