// SPDX-License-Identifier: Apache-2.0
// Re-checking an order before it is shown, from the definition of the condition and the recorded times alone.
//
// Nothing is shared with the searches: no ranks, no problem, no steps that they have taken. That operations were
// classed as alike is checked too. Cost: O(n) for times, O(n log n) with crashes, and one step an operation.
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
  kNotThere = 1,  // names an operation twice or one that is not there
  kLeftOut = 2,   // leaves out an operation that certainly took effect
  kFailed = 3,    // keeps a failed operation
  kReturnedEarlier = 4,
  kEndedAtCrash = 5,
  kEarlierEra = 6,
  kProcessOrder = 7,
  kHint = 8,
  kRejected = 9,    // the spec rejects it in its place
  kUnlike = 10,     // it was taken for another operation
  kNeeded = 11,     // it was left out and may mend the violation of the others
  kSurvivors = 12,  // it does not say how many operations survive each crash
};

struct Finding {
  Flaw flaw = Flaw::kNone;
  std::int32_t position = histories::kNone;  // the operation concerned
};

/// Whether `order` respects times, hints and the order within processes, as `condition` asks.
Finding check_times(const histories::Columns& columns, std::span<const std::int32_t> order, search::Condition condition,
                    bool key_argument);

/// Whether `order` names operations at `positions`, each once, and (if `whole`) all that certainly took effect.
Finding check_members(const histories::Columns& columns, std::span<const std::int32_t> positions,
                      std::span<const std::int32_t> order, bool whole);

/// Whether the spec allows the operations in this order.
Finding check_run(const histories::Columns& columns, std::span<const std::int32_t> order,
                  const search::Alphabet& alphabet, specs::Steps& steps, specs::State initial);

/// Whether operations with one symbol are alike: the same name, arguments and (if exact) result.
Finding check_alphabet(const histories::Columns& columns, std::span<const std::int32_t> names,
                       std::span<const std::int32_t> order, const search::Alphabet& alphabet);

}  // namespace linpoint::verdicts
