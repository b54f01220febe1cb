// SPDX-License-Identifier: Apache-2.0
// The input of a search: operations in the order of their calls, and the constraints on their order.
#pragma once

#include <cstdint>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::search {

using histories::kNever;
using specs::State;
using specs::Symbol;

/// `first` and `second` are operations; each use defines the meaning of the pair.
struct Pair {
  std::int32_t first;
  std::int32_t second;
};

/// Pseudo-operations of buffered durability, in place of a position in the history.
inline constexpr std::int32_t kPersist = -1;
inline constexpr std::int32_t kCrashOperation = -2;

/// Operations sorted by call. Ranks of calls and returns are distinct: a precedes b iff ret[a] < call[b].
struct Problem {
  /// The position of each operation in the history, or which pseudo-operation it is.
  std::vector<std::int32_t> position;
  std::vector<Symbol> symbol;
  std::vector<std::int64_t> call;
  std::vector<std::int64_t> ret;
  /// Non-zero: the operation may be left out. With a finite return it must then take effect before it, or never.
  std::vector<std::uint8_t> optional;
  /// Non-zero: the operation, with its recorded result, never changes the state.
  std::vector<std::uint8_t> reads;
  /// Non-zero: nothing overlaps the operation and only one state can follow it, so its past no longer matters.
  std::vector<std::uint8_t> settles;
  /// second may take effect only after first; first is never optional.
  std::vector<Pair> before;
  /// first may not take effect after second.
  std::vector<Pair> excluded;
  /// Non-zero: the operation cannot take effect in the hopeless state; and (`revives`): it leads out of that state.
  std::vector<std::uint8_t> despairs;
  std::vector<std::uint8_t> revives;
  State initial = 0;
  /// A state from which no search succeeds unless an operation leads out of it in time; kNoState if there is none.
  State hopeless = specs::kNoState;

  [[nodiscard]] std::size_t size() const { return call.size(); }
};

/// Whether no two operations overlap: then there is only one order to try.
inline bool one_at_a_time(const Problem& problem) {
  for (std::size_t op = 1; op < problem.size(); ++op)
    if (problem.ret[op - 1] >= problem.call[op]) return false;
  return true;
}

}  // namespace linpoint::search
