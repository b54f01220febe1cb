// SPDX-License-Identifier: Apache-2.0
// Exact quasi-linear decisions for common objects whose values are unique (or whose results are bits and counts).
//
// A monitor gives an order of the operations, or a few operations that cannot be ordered with the reason, or says what
// excludes the history. Pairs of a problem (order hints, chains of one process) are not looked at: an order may break
// them, and then proves nothing; a refutation stands, since pairs only forbid.
// Cost: O(n log n) time and O(n) memory, but for unknown removals, each of which that matters may double the work.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::monitors {

enum class Status : int { kLinearizable = 0, kViolation = 1, kExcluded = 2 };

/// Why no order exists.
enum class Reason : int {
  kNone = 0,
  kNeverAdded,        // a value is seen that nobody added or wrote
  kSeenBeforeAdded,   // an operation that saw it returned before the value was added
  kRemovedTwice,      // a value is removed more often than it was added
  kSeenAfterRemoved,  // a value is seen by an operation called after its removal returned
  kOrderInverted,     // first in, but not first out
  kFrontsOverlap,     // two values are at the front at one time
  kFrontInside,       // a value must be at the front while another certainly is
  kEmptyWhileInside,  // empty, while something was certainly inside
  kHigherInside,      // a value is taken while something of higher priority was certainly inside
  kNotNested,         // pushes and pops that no stack can nest
  kZonesOverlap,      // two values are each current before and after the other
  kZoneInside,        // a value was written and overwritten while another was certainly current
  kReplacedTwice,     // two operations replaced the same value
  kReplacedInCircle,  // values that replaced each other in a circle
  kReplacedTooEarly,  // an operation returned before the one that its value comes after was called
  kOverwritten,       // every write of the value was certainly overwritten
  kNobodyFlips,       // nothing can bring the bit into the state that the operation saw
  kCountTooLow,       // a count is less than what certainly came before
  kCountTooHigh,      // a count is more than can have come before
  kSameCount,         // two operations were given the same count
  kCountsInverted,    // a smaller count was given after a larger one
  kSurvivorsDiffer,   // two values were each seen as the one that a crash had left
  kNoCommonMoment,    // what a crash left on several keys was never there at one time
};

/// What makes a monitor not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,             // there is no monitor for the object
  kOperation,        // an operation that monitors of this object do not know
  kResult,           // a result that was not observed, or that the spec never gives
  kDuplicate,        // a value is added twice and time does not tell which is meant
  kNull,             // null is stored, which cannot be told from empty or absent
  kCapacity,         // a queue that can be full
  kAmounts,          // a counter whose steps differ in size or direction
  kCutOff,           // an operation that may be left out, but has to come before a crash
  kUnknownRemovals,  // too many ways to explain removals with an unknown outcome
  kStopped,          // it was told to stop
  kFailedCompare,    // a compare-and-set that failed finds no place in the order that was found
  kSpansCrash,       // an operation that may have taken effect before or after a crash of the object
};

/// The answer for one object. Operations are positions in the history.
struct Outcome {
  Status status = Status::kExcluded;
  std::vector<std::int32_t> order;
  Reason reason = Reason::kNone;
  /// The operations that tell, and those that by themselves are a violation, which they are among.
  std::vector<std::int32_t> telling;
  std::vector<std::int32_t> scope;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
  /// An order counts only if it can be replayed: something was not looked at (that a deleted entry was there).
  bool relaxed = false;
};

/// Decides the operations of a problem, which are those of one object whose first state has this content (as for
/// `NativeMachine::state`; of a set, the elements in it).
Outcome decide(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
               std::span<const std::int64_t> content, search::StopToken& stop);

}  // namespace linpoint::monitors
