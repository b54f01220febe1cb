// SPDX-License-Identifier: Apache-2.0
// Whether a violation of some operations of an object (the scope) is a violation of all of them, so that the other
// operations can be left out.
//
// Sound to leave out: operations that change nothing; all operations of some values of a container; all operations of
// some values of a register, together with those that replaced them, but never the source of a value in the scope; all
// operations on an element of a set. Removing these from an order of all operations gives an order of the scope. Cost:
// O(n).
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// An operation that must not be left out (kNeeded), or one of the scope that does not exist (kNotThere), if any. Both
/// lists are ascending. Operations whose result states that a value differed, or was present, must not be in the scope
/// unless every operation is; deletions are an exception, since only their effect counts. A queue that may be full
/// needs every operation; one that initially holds `items` is never full if it has room for these and one item per
/// operation.
Finding check_scope(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, const specs::Blueprint& blueprint, std::size_t items);

/// The same for a refuted prefix of the history, of whose operations those in `open` may be left out. Operations may
/// also be missing if every other operation of the scope precedes them: an order of all operations, truncated after the
/// last of these, is an order of the prefix.
Finding check_start(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, std::span<const std::int32_t> open,
                    search::Condition condition, const specs::Blueprint& blueprint, std::size_t items);

}  // namespace linpoint::verdicts
