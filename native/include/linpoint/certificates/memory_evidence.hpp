// SPDX-License-Identifier: Apache-2.0
// Evidence about a memory of words: an order is replayed on plain words. A refutation by a precedence graph is checked
// link by link against the recorded history, without the graph.
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// The first operation that plain words reject at its place, if any. `content` is as for `graphs::decide`.
Finding check_words(const histories::Columns& columns, std::span<const std::int32_t> order,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

enum class Proof : int { kHolds = 0, kBroken = 1, kTooLong = 2 };

/// Whether a refutation proves that the operations have no order: every link is forced by the recorded history, the
/// links form cycles, and every way to explain the failed operations leads to such a cycle. Cost: O(kn), times the
/// combinations of explanations; the check gives up if there are too many.
Proof check_refutation(const graphs::Question& question, const graphs::Refutation& refutation);

}  // namespace linpoint::verdicts
