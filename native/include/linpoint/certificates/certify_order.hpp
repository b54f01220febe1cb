// SPDX-License-Identifier: Apache-2.0
// Re-checks an order before it is shown, using only the definition of the condition and the recorded times.
//
// Shares nothing with the searches: neither ranks nor problems nor the steps they took. The classification of
// operations as equivalent is checked too. Cost: O(n) for times, O(n log n) with crashes, and one step per operation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::verdicts {

enum class Flaw : int {
  kNone = 0,
  kNotThere = 1,  // the order names an operation twice, or one that does not exist
  kLeftOut = 2,   // the order omits an operation that certainly took effect
  kFailed = 3,    // the order contains a failed operation
  kReturnedEarlier = 4,
  kEndedAtCrash = 5,
  kEarlierEra = 6,
  kProcessOrder = 7,
  kHint = 8,
  kRejected = 9,    // the spec rejects the operation at its place
  kUnlike = 10,     // the operation was classified as equivalent to a different one
  kNeeded = 11,     // the operation was left out but may remove the violation of the others
  kSurvivors = 12,  // the number of operations that survive each crash is missing
};

struct Finding {
  Flaw flaw = Flaw::kNone;
  std::int32_t position = histories::kNone;  // the operation concerned
};

/// Whether `order` respects times, hints and the order within processes, as `condition` requires.
Finding check_times(const histories::Columns& columns, std::span<const std::int32_t> order, search::Condition condition,
                    bool key_argument);

/// Whether `order` names operations at `positions`, each at most once, and (if `whole`) all that certainly took effect.
Finding check_members(const histories::Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, bool whole);

/// Whether the spec allows the operations in this order.
Finding check_run(const histories::Columns& columns, std::span<const std::int32_t> order,
                  const search::Alphabet& alphabet, specs::Steps& steps, specs::State initial);

/// Whether operations with the same symbol are equivalent: same name, arguments and (if exact) result.
Finding check_alphabet(const histories::Columns& columns, std::span<const std::int32_t> names,
                       std::span<const std::int32_t> order, const search::Alphabet& alphabet);

}  // namespace linpoint::verdicts
