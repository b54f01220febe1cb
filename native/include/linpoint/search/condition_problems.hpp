// SPDX-License-Identifier: Apache-2.0
// Translates correctness conditions into problems for one common search.
//
// Each condition defines when an operation may take effect and which operations may be left out. Here this becomes
// ranks, optional operations, pairs and (for buffered durability) two pseudo-operations, so that every search supports
// every condition:
//
// - strict: an operation interrupted by a crash, of its process or of the object, is optional and ends at the crash.
// - recoverable: it is optional and never ends, but is excluded once a later operation of its process took effect.
// - sequential: nothing ends; each process's operations are chained.
// - buffered-durable: *persist* saves the state at some moment of each era, and *crash* at its end restores it. Eras
//   end where the object crashes, alone or with everything; an operation that spans a crash of the object alone is on
//   either side.
//
// Order hints become pairs. Clock skew makes returns late; the order within each process then becomes pairs too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/operation_grouping.hpp"
#include "linpoint/search/problem.hpp"

namespace linpoint::search {

enum class Condition : int {
  kLinearizable = 0,
  kStrict = 1,
  kRecoverable = 2,
  kDurable = 3,
  kBufferedDurable = 4,
  kSequential = 5,
};

/// The symbols of a history's operations.
struct Alphabet {
  std::vector<Symbol> exact;  // of each operation with its recorded result
  std::vector<Symbol> loose;  // of each operation with any result
  Symbol persist = 0;
  Symbol crash = 0;
};

/// Symbols for the classes of equivalent operations, with and without their results.
Alphabet alphabet(const histories::Classes& exact, const histories::Classes& loose);

/// The operations to decide, and how to interpret them.
struct Part {
  std::span<const std::int32_t> positions;
  /// Operations that may be left out and may have returned anything, but keep their times; ascending.
  std::span<const std::int32_t> relaxed;
  /// The key of an operation is its first argument unless it has one of its own.
  bool key_argument = false;
  /// Operations that may be left out and never return, but keep their results; ascending.
  std::span<const std::int32_t> open = {};
};

/// The problem that decides these operations under `condition`. Failed operations must have been removed. `machine` may
/// be null: then nothing is known about the symbols. Without an alphabet the problem has times only and no symbols.
Problem build(const histories::Columns& columns, const Part& part, Condition condition, const Alphabet& alphabet,
              const specs::Machine* machine, State initial);

/// A problem of times alone, which has no pairs and no operations of crashes, extended by the symbols of its
/// operations.
Problem with_steps(const Problem& timed, const Alphabet& alphabet, const specs::Machine& machine, State initial);

}  // namespace linpoint::search
