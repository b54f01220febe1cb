// SPDX-License-Identifier: Apache-2.0
// Replays an order on a plain object of the built-in kind: a deque for a queue, a map for a map.
//
// Shares nothing with the steps of the searches except the reading of operations. Cost: O(1) per operation, O(log n)
// for a priority queue.
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// The operation that the object rejects at its place, if any. `content` is the initial content of the one object that
/// the operations belong to: its value or values, its count, 1 for a held mutex; for a multiset, each element before
/// its count; for a memory, the initial value of all words, then each word with an initial value of its own before that
/// value.
Finding check_replay(const histories::Columns& columns, std::span<const std::int32_t> order,
                     const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

/// Checks a whole witness in the same way, and also that it has the right members and respects the times. For long
/// witnesses, and if `parallel`, these checks run concurrently.
Finding check_witness(const histories::Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, search::Condition condition,
                      const specs::Blueprint& blueprint, std::span<const std::int64_t> content, bool parallel = false);

}  // namespace linpoint::verdicts
