// SPDX-License-Identifier: Apache-2.0
// Correctness conditions as problems for one and the same search.
//
// Each condition says when an operation may take effect and which may be left out. Here that becomes ranks, optional
// operations, pairs and (for buffered durability) two pseudo-operations, so that every search serves every condition:
//
// - strict: an operation cut off by a crash, of its process or of the object, is optional and ends at the crash.
// - recoverable: it is optional and never ends, but is excluded once a later operation of its process took effect.
// - sequential: nothing ends; each process's operations are chained.
// - buffered-durable: *persist* saves the state at some moment of each era, and *crash* at its end goes back to it.
// Eras
//   end where the object crashes, alone or with everything; what spans a crash of the object alone is on either side.
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
  std::vector<Symbol> loose;  // of each operation whatever it returned
  Symbol persist = 0;
  Symbol crash = 0;
};

/// The symbols of operations that are alike with and without their results.
Alphabet alphabet(const histories::Classes& exact, const histories::Classes& loose);

/// Which operations, and how they are to be read.
struct Part {
  std::span<const std::int32_t> positions;
  /// Those that may be left out and may have returned anything, but keep their times; ascending.
  std::span<const std::int32_t> relaxed;
  /// The key of an operation is its first argument unless it has one of its own.
  bool key_argument = false;
  /// Those that may be left out and never return, but with the results that they had; ascending.
  std::span<const std::int32_t> open = {};
};

/// The problem that decides these operations under `condition`. Failed operations must be gone. `machine` may be null:
/// then nothing is known of the symbols. Without an alphabet the problem is for times alone and has no symbols.
Problem build(const histories::Columns& columns, const Part& part, Condition condition, const Alphabet& alphabet,
              const specs::Machine* machine, State initial);

}  // namespace linpoint::search
