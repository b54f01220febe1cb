// SPDX-License-Identifier: Apache-2.0
// Exact quasi-linear decisions for common objects with distinct values (or results that are bits and counts).
//
// A monitor returns an order of the operations, or a few operations that cannot be ordered with the reason, or why it
// does not apply. Pairs of a problem (order hints, chains of one process) are ignored: an order may violate them, and
// then proves nothing; a refutation stands, since pairs only exclude orders. Cost: O(n log n) time and O(n) memory,
// except that each relevant unknown removal may double the work.
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
  kNeverAdded,        // a value is observed that no operation added or wrote
  kSeenBeforeAdded,   // an operation that observed it returned before the value was added
  kRemovedTwice,      // a value is removed more often than it was added
  kSeenAfterRemoved,  // a value is observed by an operation called after its removal returned
  kOrderInverted,     // FIFO violated: added first, but removed later
  kFrontsOverlap,     // two values are at the front at the same time
  kFrontInside,       // a value must be at the front while another certainly is
  kEmptyWhileInside,  // empty, while a value was certainly inside
  kHigherInside,      // a value is taken while one of higher priority was certainly inside
  kNotNested,         // pushes and pops that no stack order can nest
  kZonesOverlap,      // each of two values is current both before and after the other
  kZoneInside,        // a value was written and overwritten while another was certainly current
  kReplacedTwice,     // two operations replaced the same value
  kReplacedInCircle,  // values that replaced each other in a cycle
  kReplacedTooEarly,  // an operation returned before the one that its value must follow was called
  kOverwritten,       // every write of the value was certainly overwritten
  kNobodyFlips,       // no operation can bring the bit into the state that the operation observed
  kCountTooLow,       // a count is less than the steps that certainly came before
  kCountTooHigh,      // a count is more than the steps that can have come before
  kSameCount,         // two operations were given the same count
  kCountsInverted,    // a smaller count was given after a larger one
  kSurvivorsDiffer,   // two values were each observed as the one that a crash had left
  kNoCommonMoment,    // the values a crash left on several keys were never current at the same time
};

/// Why a monitor does not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,             // there is no monitor for the object
  kOperation,        // an operation that the monitor of this object does not support
  kResult,           // a result that was not observed, or that the spec never returns
  kDuplicate,        // a value is added twice and times do not determine which is meant
  kNull,             // null is stored, which cannot be distinguished from empty or absent
  kCapacity,         // a queue that can be full
  kAmounts,          // a counter whose steps differ in size or direction
  kCutOff,           // an operation that may be left out, but has to come before a crash
  kUnknownRemovals,  // too many ways to explain removals with an unknown outcome
  kStopped,          // the search was stopped
  kFailedCompare,    // a failed compare-and-set has no place in the order that was found
  kSpansCrash,       // an operation that may have taken effect before or after a crash of the object
};

/// The answer for one object. Operations are positions in the history.
struct Outcome {
  Status status = Status::kExcluded;
  std::vector<std::int32_t> order;
  Reason reason = Reason::kNone;
  /// The operations that show the violation, and (`scope`) those that are a violation by themselves, a superset.
  std::vector<std::int32_t> evidence;
  std::vector<std::int32_t> scope;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
  /// An order counts only if it can be replayed: the presence of a deleted entry was not checked.
  bool relaxed = false;
};

/// Decides the operations of a problem on one object whose initial state has this content (as for
/// `NativeMachine::state`; for a set, the elements in it).
Outcome decide(const histories::Columns& columns, const search::Problem& problem, const specs::Blueprint& blueprint,
               std::span<const std::int64_t> content, search::StopToken& stop);

}  // namespace linpoint::monitors
