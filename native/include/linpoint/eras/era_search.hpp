// SPDX-License-Identifier: Apache-2.0
// Buffered durability of objects of any spec, decided object by object and era by era.
//
// A crash takes all objects back to one moment of the era that it ended. Once these moments are known, each object can
// be decided by itself. So for each object and era all configurations (operations in, state) are explored that lie on a
// way through the era; those whose state the next era can begin with tell at which moments the object can be saved.
// Then a moment that suits all objects is chosen for each crash, the latest first, going back where one leads nowhere.
// Exact for histories ordered by time alone. Cost: O(n 2^k) configurations of each object for n operations of which k
// are open at a time, times the states that one set of operations can leave; few moments are ever tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::eras {

enum class Answer : int { kFound = 0, kRefuted = 1, kStopped = 2, kExcluded = 3 };

/// The operations of one object, as numbers of the problem, and its first state.
struct Object {
  std::vector<std::int32_t> operations;
  specs::State initial = 0;
};

struct EraAnswer {
  Answer answer = Answer::kStopped;
  /// Operations of the problem in their order, era by era. For each era that a crash ended: how many operations it has,
  /// and how many of them survive, which come first.
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> eras;
  std::vector<std::int32_t> survivors;
  std::uint64_t configurations = 0;
};

/// Decides a problem of buffered durability whose operations are those of the objects. Pairs are not looked at.
/// Excluded: more than 64 operations of one object open at a time, or a crash at no certain moment.
EraAnswer search_eras(const search::Problem& problem, std::span<const Object> objects, const specs::Machine& machine,
                      search::StopToken& stop);

}  // namespace linpoint::eras
