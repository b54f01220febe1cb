// SPDX-License-Identifier: Apache-2.0
// Memory of words, decided by its precedence graph: Cepeda et al., OPODIS 2019, sections 4 and 5, corrected.
//
// Vertices are operations. One precedes another by time; because it wrote a value that the other saw; because it saw a
// value that the other replaced. A failed compare-and-swap comes after somebody replaced the value it expected, or
// before it was written: choices, of which there are two for each word that may be to blame. An operation with an
// unknown outcome is kept if somebody saw what it wrote, and may be kept if it explains a failure.
//
// Guarantee: exact where every value is written to a word once at most; what excludes a history is said. An order is
// one of a run; a refutation is a list of contradictions that leaves no choice. Blind writes, which do not tell what
// they overwrote, are put in order as far as that is possible (blind_writes.hpp); the refutation is a scope then. Cost:
// O(kn log n) for k words an operation, times the rounds of choosing, of which most histories need one. Choices with
// two ways each are a 2-SAT problem; with more, the work may grow exponentially with those that conflict.
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

/// Why no order exists, in the names of the paper.
enum class Reason : int {
  kNone = 0,
  kCycle,                // operations that must each come before the next, in a circle
  kFork,                 // two operations replaced the same value
  kDanglingRead,         // a value was seen that nobody wrote
  kReadBeforeWrite,      // a value was seen by an operation that returned before it was written
  kDisconnectedFailure,  // an operation failed although nobody can have replaced what it expected
  kOverwritten,          // a value was seen that had certainly been overwritten, by one that does not tell
};

/// What makes the graph not apply.
enum class Exclusion : int {
  kNone = 0,
  kKind,         // the object is no memory of words
  kWrite,        // a write that does not tell what it replaced
  kCompareOnly,  // a compare-and-swap that leaves a word as it was
  kResult,       // a result that was not observed, or that the spec never gives
  kShape,        // words or values that are lists
  kDuplicate,    // a value is written to a word more than once
  kCutOffSwap,   // swaps with an unknown outcome, whose place is open
  kChoices,      // too many ways to explain what failed
  kEras,         // the condition is buffered durability
  kStopped,      // it was told to stop
};

/// Why one operation comes before another.
enum class Because : int {
  kTime = 0,      // it returned before the other was called, or the condition keeps them in order
  kReadsFrom,     // the other saw what it wrote
  kReplaced,      // it saw what the other replaced
  kFailedAfter,   // it replaced what the other expected in vain
  kFailedBefore,  // it expected in vain what the other wrote
};

/// One operation must come before another; `word` and `value` are numbers of values, or kNone for time. Operations
/// are positions in the history.
struct Link {
  std::int32_t from;
  std::int32_t to;
  Because because;
  std::int32_t word = histories::kNone;
  std::int32_t value = histories::kNone;
};

/// Links in a circle. Where the reason is a dangling read there is one link without a source.
struct Contradiction {
  std::vector<Link> links;
};

struct Refutation {
  Reason reason = Reason::kNone;
  /// Each way to explain the failed operations among them runs into one of these.
  std::vector<Contradiction> contradictions;
  /// The failed operations that have to be explained.
  std::vector<std::int32_t> failed;
  /// Why operations with an unknown outcome certainly had their effect: somebody read from each.
  std::vector<Link> kept;
  /// Where there are blind writes: operations that are a violation by themselves, instead of links. Ascending.
  std::vector<std::int32_t> scope;
};

struct Outcome {
  Status status = Status::kExcluded;
  std::vector<std::int32_t> order;
  Refutation refutation;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;  // an operation that excludes the history
};

/// `kPaper`: as published, right or wrong.
enum class Rules : int { kCorrected = 0, kPaper = 1 };

/// What is to be decided: the operations at `positions` on one object. `content`: of a register its first value; of a
/// memory the first value of all words, and then words with values of their own, each before its value.
struct Question {
  const histories::Columns& columns;
  std::span<const std::int32_t> positions;
  search::Condition condition;
  const specs::Blueprint& blueprint;
  std::span<const std::int64_t> content;
};

/// Decides it, for long histories on two threads if `parallel`.
Outcome decide(const Question& question, search::StopToken& stop, Rules rules, bool parallel);

}  // namespace linpoint::graphs
