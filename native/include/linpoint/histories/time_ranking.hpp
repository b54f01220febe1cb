// SPDX-License-Identifier: Apache-2.0
// The real-time order of operations as distinct ranks of calls and returns.
//
// Guarantee: a precedes b iff returns[a] < calls[b], or both are in one of the chains, a before b. Intervals are
// closed, so at one instant calls come before returns; but two operations of *one* process that touch are sequential.
// If one process touches itself at an instant, this can be ranked exactly. For two processes it cannot: with A: a[1,5]
// b[5,9] and B: c[1,5] d[5,9], a < b and c < d, yet neither a < d nor c < b, which no ranks express. Only then are
// there chains. Cost: O(n log n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/histories/integer_columns.hpp"

namespace linpoint::histories {

/// What happens at one instant, in this order. Early: returns at exactly the time of a crash of their process. A crash
/// of the object alone happens between the calls and the returns of its time, which may all come before or after it;
/// with early returns at its time it begins before those.
enum Phase : std::uint8_t {
  kObjectCrashBegins = 0,
  kEarlyReturn = 1,
  kCrash = 2,
  kRecovery = 3,
  kCall = 4,
  kObjectSaved = 5,
  kObjectCrash = 6,
  kObjectRecovery = 7,
  kReturn = 8
};

/// When an operation may take effect: from its call to its return (kNever: at any later time).
struct Span {
  std::int32_t process;
  std::int64_t call;
  std::int64_t ret;
  Phase call_phase = kCall;
  Phase return_phase = kReturn;
};

using Chain = std::vector<std::int32_t>;

struct Order {
  std::vector<std::int64_t> calls;
  std::vector<std::int64_t> returns;
  std::vector<Chain> chains;
};

Order rank(std::span<const Span> spans);

/// The same for operations at their recorded times, without crashes and skew.
Order rank(const Columns& columns, std::span<const std::int32_t> positions);

}  // namespace linpoint::histories
