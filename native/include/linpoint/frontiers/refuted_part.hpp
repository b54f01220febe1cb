// SPDX-License-Identifier: Apache-2.0
// A small part of a history that a search over frontiers has refuted.
//
// If a history has an order, so does each prefix of it in which operations that return later may be left out: truncate
// the order after the last operation that returned within the prefix. So the operations called before the return at
// which the search was stuck have no order. For a queue, a stack and a priority queue, all operations of a value can be
// removed from any order; so values are removed as long as the remaining operations have no order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::frontiers {

/// Operations of the problem, ascending.
struct RefutedPart {
  std::vector<std::int32_t> operations;
  std::vector<std::int32_t> open;  // those of them that return later, or perhaps never: they may be left out
};

/// The refuted part that ends with the return of `last`. `allowance` is the number of states that may be visited in
/// order to leave out values.
RefutedPart refuted_part(const histories::Columns& columns, const search::Problem& problem,
                         const specs::Blueprint& blueprint, std::span<const std::int64_t> content, std::int32_t last,
                         std::uint64_t allowance, search::StopToken& stop);

}  // namespace linpoint::frontiers
