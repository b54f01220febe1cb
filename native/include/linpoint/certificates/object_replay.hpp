// SPDX-License-Identifier: Apache-2.0
// Replaying an order on a plain object of the built-in kind: a deque for a queue, a map for a map.
//
// Nothing is shared with the steps of the searches, but for reading operations. Cost: O(1) an operation, O(log n) for a
// priority queue.
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// Which operation the object, whose first state has this content, rejects in its place, if any. The content is that
/// of the one object the operations are of: its value or values, its count, 1 for a held mutex; of a multiset elements,
/// each before its count; of a memory the first value of all words, and then words with values of their own, each
/// before its value.
Finding check_replay(const histories::Columns& columns, std::span<const std::int32_t> order,
                     const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

/// The same of a whole witness: also whether it has the right members, and respects the times; for long ones, if
/// `parallel`, at the same time.
Finding check_witness(const histories::Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, search::Condition condition,
                      const specs::Blueprint& blueprint, std::span<const std::int64_t> content, bool parallel = false);

}  // namespace linpoint::verdicts
