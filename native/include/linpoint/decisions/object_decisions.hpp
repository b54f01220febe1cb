// SPDX-License-Identifier: Apache-2.0
// Decides every object of a short history in one call: by its monitor, else by the first turns of two searches.
// Depth-first search begins; the few histories that mislead it are mostly small for Linear, which keeps all
// configurations at the same time.
//
// The answers are those of the monitor and the portfolio; this path only avoids the overhead between them. Guarantee:
// an order is certified as a witness, and the longest prefix of a search as a legal prefix. There is no answer at all
// if an object takes longer, or if a search still has to certify a monitor's refutation. Cost: that of the monitors,
// and at most `allowance` configurations for all searches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/monitors/monitor.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::decisions {

enum class Decider : int { kNone = 0, kMonitor = 1, kDepthFirst = 2, kWingGong = 3, kLinear = 4 };

/// The answer for one object. Operations are positions in the history.
struct ObjectAnswer {
  std::vector<std::int32_t> positions;
  Decider by = Decider::kNone;
  bool linearizable = false;
  /// The witness, or the longest legal prefix.
  std::vector<std::int32_t> order;
  std::uint64_t configurations = 0;
  /// Why the monitor does not apply, and the operation that excludes it.
  monitors::Exclusion exclusion = monitors::Exclusion::kNone;
  std::int32_t culprit = histories::kNone;
  /// The refutation of a monitor, confirmed by a search of its scope.
  monitors::Outcome pattern;
  /// The flaw that certification found in the order, if any; it would be a bug of linpoint.
  verdicts::Finding flaw;
};

/// The number of arguments, including the key, that an operation of some name may have.
struct Arity {
  std::int32_t least;
  std::int32_t most;
};

/// The answers for all objects, in order of first appearance. Nothing if one object has no answer, if operations are
/// not part of the spec, or if constraints other than times order them. `names` maps each name to the first name with
/// the same meaning, and `content` is the initial state of every object. `parallel`: two threads may be used.
std::optional<std::vector<ObjectAnswer>> decide_objects(const histories::Columns& columns,
                                                        const specs::Blueprint& blueprint,
                                                        std::span<const std::int32_t> names,
                                                        std::span<const Arity> arities,
                                                        std::span<const std::int64_t> content, std::uint64_t allowance,
                                                        search::StopToken& stop, bool parallel);

}  // namespace linpoint::decisions
