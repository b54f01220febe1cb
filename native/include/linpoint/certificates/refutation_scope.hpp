// SPDX-License-Identifier: Apache-2.0
// Whether a violation of some operations of an object is one of all of them: whether the rest can be left out.
//
// Sound to leave out: operations that change nothing; all operations of some values of a container; all operations of
// some values of a register, with those that replaced them, but never what a value in the scope was made from; all
// operations of an element of a set. An order of all operations, without these, is an order of the scope. Cost: O(n).
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// An operation that must not be left out (kNeeded), or one of the scope that is not there (kNotThere), if any.
/// Both are ascending. Operations that say that something differed, or was there, must not be in the scope unless
/// everything is, but for deletions, of which only the effect counts. A queue that may be full needs everything; one
/// that holds `items` at first is never full if it has room for these and for an item of each operation.
Finding check_scope(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, const specs::Blueprint& blueprint, std::size_t items);

/// The same of a refuted start of the history, of whose operations those in `open` may be left out. What may be missing
/// beside is all that every other operation of the scope precedes: an order of all operations, cut off behind the last
/// of these, is an order of the start.
Finding check_start(const histories::Columns& columns, std::span<const std::int32_t> positions,
                    std::span<const std::int32_t> scope, std::span<const std::int32_t> open,
                    search::Condition condition, const specs::Blueprint& blueprint, std::size_t items);

}  // namespace linpoint::verdicts
