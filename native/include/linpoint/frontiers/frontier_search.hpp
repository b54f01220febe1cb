// SPDX-License-Identifier: Apache-2.0
// Exact decisions for common objects whose values occur more than once.
//
// A *frontier* is the first return that is not yet in, and which of the operations open before it are in. It determines
// the set of operations that are in, so equal sets have equal keys, whatever order they came in. For each kind of
// object a search over frontiers needs little more: a pair of them for a queue, the cell on top for a stack, nothing or
// one value for the others. Operations are taken just in time, and of equal ones the one that returns first. Cost for k
// operations open at a time: at most n * k * 4^k states for a queue, (n * 2^k)^2 for a stack, n * 2^k (times the
// values) for the others; in practice a few for each operation, but for stacks with k above 10. Source: frontier graphs
// are Lee and Mathur's (PLDI 2026); taking operations on demand is Lowe's (2017). Pairs of frontiers that meet only
// where both are complete, the graph-structured stack and the pruning are our own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/search.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::frontiers {

/// What makes the procedure not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,         // there is none for the object
  kOperation,    // an operation, or a result, that it does not know
  kConstrained,  // there is more to respect than times: hints, clocks, operations of one process that touch
  kDeadline,     // an operation that may be left out, but not put off for ever
  kNull,         // null is stored, which cannot be told from nothing
  kCapacity,     // a queue that can be full
  kWidth,        // more than 64 operations are open at a time
};

/// A search that knows, once it has refuted a history, which part of it is enough.
class FrontierSearch : public search::Search {
 public:
  using Search::Search;

  /// After kViolation: the operation with whose return the shortest refuted part of the history ends. What is called
  /// before that return has no order, even if what returns later may be left out.
  [[nodiscard]] virtual std::int32_t last() const = 0;
};

/// What excludes the operations of a problem, which are those of one object whose first state has this content.
Exclusion exclusion(const histories::Columns& columns, const search::Problem& problem,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

/// The search for these operations, which nothing excludes. It takes from the problem what it needs.
std::unique_ptr<FrontierSearch> frontier_search(const histories::Columns& columns, const search::Problem& problem,
                                                const specs::Blueprint& blueprint,
                                                std::span<const std::int64_t> content, search::StopToken& stop);

}  // namespace linpoint::frontiers
