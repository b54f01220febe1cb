// SPDX-License-Identifier: Apache-2.0
// A small part of a history that a search over frontiers has refuted.
//
// A start of a history that has an order has one too, where what returns later may be left out: what comes behind the
// last operation that returned by then is cut off. So what is called before the return at which the search was stuck
// has none. Of a queue, a stack and a priority queue, all operations of a value can be left out of any order; so values
// are left out as long as the rest has no order.
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

/// The refuted part that ends with the return of `last`. `allowance` is how many states may be looked at to leave out
/// values.
RefutedPart refuted_part(const histories::Columns& columns, const search::Problem& problem,
                         const specs::Blueprint& blueprint, std::span<const std::int64_t> content, std::int32_t last,
                         std::uint64_t allowance, search::StopToken& stop);

}  // namespace linpoint::frontiers
