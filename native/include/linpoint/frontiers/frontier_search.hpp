// SPDX-License-Identifier: Apache-2.0
// Exact decisions for common objects whose values occur more than once.
//
// A *frontier* consists of the first return not yet passed and, of the operations open before it, those that have taken
// effect. It determines the set of operations that have taken effect, so equal sets have equal keys, independent of the
// order. For each kind of object, a search over frontiers needs little more state: a pair of frontiers for a queue, the
// top cell for a stack, nothing or one value for the others. Operations take effect just in time, and of equal
// operations the one that returns first. Cost for k concurrently open operations: at most n * k * 4^k states for a
// queue, (n * 2^k)^2 for a stack, n * 2^k (times the values) for the others; in practice a few per operation, except
// for stacks with k above 10. Sources: frontier graphs are by Lee and Mathur (PLDI 2026); linearizing operations on
// demand is by Lowe (2017). Pairs of frontiers that meet only where both are complete, the graph-structured stack and
// the pruning are our own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/search.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::frontiers {

/// Why the procedure does not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,         // the object has no such procedure
  kOperation,    // an unsupported operation or result
  kConstrained,  // constraints other than times: hints, clocks, operations of one process that touch
  kDeadline,     // an operation that may be left out, but must not be postponed indefinitely
  kNull,         // null is stored, which cannot be distinguished from an empty object
  kCapacity,     // a queue that can be full
  kWidth,        // more than 64 operations are open concurrently
};

/// A search that, once it has refuted a history, knows which part of the history suffices for that.
class FrontierSearch : public search::Search {
 public:
  using Search::Search;

  /// After kViolation: the operation whose return ends the shortest refuted part of the history. The operations called
  /// before that return have no order, even if those that return later may be left out.
  [[nodiscard]] virtual std::int32_t last() const = 0;
};

/// Why the procedure does not apply to a problem with the operations of one object whose initial state has this
/// content.
Exclusion exclusion(const histories::Columns& columns, const search::Problem& problem,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

/// The search for these operations; `exclusion` must be kNone. It copies what it needs from the problem.
std::unique_ptr<FrontierSearch> frontier_search(const histories::Columns& columns, const search::Problem& problem,
                                                const specs::Blueprint& blueprint,
                                                std::span<const std::int64_t> content, search::StopToken& stop);

}  // namespace linpoint::frontiers
