// SPDX-License-Identifier: Apache-2.0
// Deciding whether a history has a linearization: the problem in integers, the answer, and the two depth-first
// searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/search/stop_token.hpp"
#include "linpoint/search/transition_table.hpp"

namespace linpoint::search {

/// The return rank of an operation that never returns.
inline constexpr std::int64_t kNever = INT64_MAX;

/// "first" and "second" are operations: what the pair means is said where it is used.
struct Pair {
  std::int32_t first;
  std::int32_t second;
};

/// Operations sorted by call. Ranks of calls and returns are distinct: a precedes b iff ret[a] < call[b].
struct Problem {
  std::span<const Symbol> symbol;
  std::span<const std::int64_t> call;
  std::span<const std::int64_t> ret;
  /// Non-zero: the operation may be left out. With a finite return it must then take effect before it, or never.
  std::span<const std::uint8_t> optional;
  /// Non-zero: in no state does the operation, with its recorded result, change the state.
  std::span<const std::uint8_t> reads;
  /// second may take effect only after first has; first is never optional.
  std::span<const Pair> before;
  /// first may not take effect once second has.
  std::span<const Pair> excluded;
  State initial;
};

enum class Status : int { kLinearizable = 0, kViolation = 1, kStopped = 2 };

struct Result {
  Status status = Status::kStopped;
  /// kLinearizable: the operations in the order of their effects. Else the longest legal prefix that was found.
  std::vector<std::int32_t> order;
  std::uint64_t configurations = 0;
};

/// Wing and Gong (1993): tries every order, with undo. Exponential where it has bad luck, but keeps no table.
Result wing_gong(const Problem& problem, TransitionTable& table, StopToken& stop);

/// Lowe's DFS: the same walk, but no configuration (linearized operations, state) is entered twice.
/// Keys hold the open window only, so memory grows with configurations times concurrency, not with the history.
Result depth_first(const Problem& problem, TransitionTable& table, StopToken& stop);

}  // namespace linpoint::search
