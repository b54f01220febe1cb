// SPDX-License-Identifier: Apache-2.0
// Every object of a short history decided in one call: by its monitor, else by the first turns of two searches.
// Depth-first search begins; the few histories that mislead it are mostly small for Linear, which keeps all
// configurations at once.
//
// What this says is what the monitor and the portfolio would have said; it only saves the way between them. Guarantee:
// an order is certified as a witness and the longest prefix of a search as a legal start. Where an object takes longer,
// or a refutation by a monitor is still to be certified by a search, there is no answer at all.
// Cost: that of the monitors, and at most `allowance` configurations for all searches.
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
  /// Why the monitor did not answer, and the operation that excludes it.
  monitors::Exclusion exclusion = monitors::Exclusion::kNone;
  std::int32_t culprit = histories::kNone;
  /// The refutation of a monitor, confirmed by a search of its scope.
  monitors::Outcome pattern;
  /// What is wrong with the order, if anything: a bug of ours.
  verdicts::Finding flaw;
};

/// How many arguments an operation of some name may have, its key included.
struct Arity {
  std::int32_t least;
  std::int32_t most;
};

/// The answers for all objects, in the order in which they appear; nothing where one of them has none, where operations
/// are not of the spec, or where more than times orders them. `names` has for each name the first of the same meaning,
/// and `content` is the first state of every object.
std::optional<std::vector<ObjectAnswer>> decide_objects(const histories::Columns& columns,
                                                        const specs::Blueprint& blueprint,
                                                        std::span<const std::int32_t> names,
                                                        std::span<const Arity> arities,
                                                        std::span<const std::int64_t> content, std::uint64_t allowance,
                                                        search::StopToken& stop);

}  // namespace linpoint::decisions
