// SPDX-License-Identifier: Apache-2.0
// Memory of words, decided by its precedence graph: Cepeda et al., OPODIS 2019, sections 4 and 5, corrected.
//
// Vertices are operations. One precedes another by time; because the other observed a value that it wrote; or because
// it observed a value that the other replaced. A failed compare-and-swap comes after an operation replaced the value it
// expected, or before that value was written: two alternatives for each word that may have caused the failure. An
// operation with an unknown outcome is kept if another operation observed what it wrote, and may be kept if it explains
// a failure.
//
// Guarantee: exact where every value is written to a word at most once; otherwise the exclusion is reported. An order
// is the order of a legal run; a refutation is a list of contradictions that cover every alternative. Blind writes,
// which do not report the value they overwrote, are ordered as far as possible (blind_writes.hpp); the refutation is
// then a scope. Cost: O(kn log n) for k words per operation, times the rounds of choosing, of which most histories need
// one. With two alternatives per choice, choosing is a 2-SAT problem; with more, the work may grow exponentially with
// the conflicting choices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/search/condition_problems.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/native_machine.hpp"

namespace linpoint::graphs {

enum class Status : int { kLinearizable = 0, kViolation = 1, kExcluded = 2 };

/// Why no order exists, in the paper's terms.
enum class Reason : int {
  kNone = 0,
  kCycle,                // operations that each must come before the next form a cycle
  kFork,                 // two operations replaced the same value
  kDanglingRead,         // a value was observed that no operation wrote
  kReadBeforeWrite,      // a value was observed by an operation that returned before the value was written
  kDisconnectedFailure,  // an operation failed although no operation can have replaced the value it expected
  kOverwritten,          // a value was observed that had certainly been overwritten, by a blind write
};

/// Why the graph does not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,         // the object is not a memory of words
  kWrite,        // a write that does not report the value it replaced
  kCompareOnly,  // a compare-and-swap that leaves a word unchanged
  kResult,       // a result that was not observed, or that the spec never returns
  kShape,        // words or values that are lists
  kDuplicate,    // a value is written to a word more than once
  kCutOffSwap,   // swaps with an unknown outcome, whose place is not determined
  kChoices,      // too many ways to explain the failed operations
  kEras,         // the condition is buffered durability
  kStopped,      // the search was stopped
};

/// Why one operation comes before another.
enum class Because : int {
  kTime = 0,      // it returned before the other was called, or the condition keeps them in order
  kReadsFrom,     // the other observed what it wrote
  kReplaced,      // it observed what the other replaced
  kFailedAfter,   // it replaced what the other unsuccessfully expected
  kFailedBefore,  // it unsuccessfully expected what the other wrote
};

/// One operation must come before another. `word` and `value` are numbers of values, or kNone for time; operations are
/// positions in the history.
struct Link {
  std::int32_t from;
  std::int32_t to;
  Because because;
  std::int32_t word = histories::kNone;
  std::int32_t value = histories::kNone;
};

/// Links that form a cycle. For a dangling read there is one link without a source.
struct Contradiction {
  std::vector<Link> links;
};

struct Refutation {
  Reason reason = Reason::kNone;
  /// Each way to explain the failed operations leads to one of these.
  std::vector<Contradiction> contradictions;
  /// The failed operations that require an explanation.
  std::vector<std::int32_t> failed;
  /// Why operations with an unknown outcome certainly took effect: for each, an operation that observed its write.
  std::vector<Link> kept;
  /// With blind writes, instead of links: operations that are a violation by themselves. Ascending.
  std::vector<std::int32_t> scope;
};

struct Outcome {
  Status status = Status::kExcluded;
  std::vector<std::int32_t> order;
  Refutation refutation;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
};

/// `kPaper`: the rules as published, correct or not.
enum class Rules : int { kCorrected = 0, kPaper = 1 };

/// The question to decide: the operations at `positions` on one object. `content`: for a register, its initial value;
/// for a memory, the initial value of all words, then each word with an initial value of its own before that value.
struct Question {
  const histories::Columns& columns;
  std::span<const std::int32_t> positions;
  search::Condition condition;
  const specs::Blueprint& blueprint;
  std::span<const std::int64_t> content;
};

/// Decides the question; for long histories, and if `parallel`, on two threads.
Outcome decide(const Question& question, search::StopToken& stop, Rules rules, bool parallel);

}  // namespace linpoint::graphs
