// SPDX-License-Identifier: Apache-2.0
// Evidence about a memory of words: an order is replayed on plain words, and a refutation by a precedence graph is
// checked link by link against what was recorded, without the graph.
#pragma once

#include <cstdint>
#include <span>

#include "linpoint/certificates/certify_order.hpp"
#include "linpoint/graphs/precedence.hpp"
#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::verdicts {

/// The first operation that plain words reject in its place, if any. `content` is as for `graphs::decide`.
Finding check_words(const histories::Columns& columns, std::span<const std::int32_t> order,
                    const specs::Blueprint& blueprint, std::span<const std::int64_t> content);

enum class Proof : int { kHolds = 0, kBroken = 1, kTooLong = 2 };

/// Whether a refutation proves that the operations have no order: every link is forced by what was
/// recorded, links close in circles, and every way to explain the failed operations runs into one.
/// Cost: O(kn), and the ways of explaining, which are given up where they are too many.
Proof check_refutation(const graphs::Question& question, const graphs::Refutation& refutation);

}  // namespace linpoint::verdicts
