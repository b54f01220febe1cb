// SPDX-License-Identifier: Apache-2.0
// Operations of one object in the form monitors use: their effects, and the gaps they own.
//
// Events are divided into runs: calls, then returns, then calls again. Gap i lies after the i-th run of calls and
// before the returns that follow. Only these gaps matter: a gap further left among calls is owned by fewer operations.
// An operation owns the gaps from `first` to `last`; a precedes b iff a.last < b.first. Cost: O(n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/monitors/monitor.hpp"
#include "specs/native_operation.hpp"

namespace linpoint::monitors {

using specs::Code;
using specs::Instruction;

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

struct Interval {
  std::int32_t first;
  std::int32_t last;

  [[nodiscard]] bool precedes(const Interval& other) const { return last < other.first; }
};

/// An operation with its effect. `op` is the index of an operation of the problem, by call.
struct Seen {
  std::int32_t op;
  Interval owns;
  Instruction what;
  bool optional;
};

struct Timeline {
  std::vector<Seen> operations;  // by call
  std::int32_t gaps = 0;         // only operations that never return own the last one
};

/// The gaps of each operation of a problem; the first real gap has the number `offset`.
std::vector<Interval> intervals_of(const search::Problem& problem, std::int32_t offset, std::int32_t& gaps);

/// The intersection of two lists of ascending, disjoint runs of gaps.
std::vector<Interval> common(std::span<const Interval> a, std::span<const Interval> b);

/// A refutation before its operations are converted to positions.
struct Refuted {
  Reason reason = Reason::kNone;
  std::vector<std::int32_t> evidence;
  std::vector<std::int32_t> scope;
};

/// A monitor's finding, in indices of operations of the problem.
struct Found {
  Status status = Status::kExcluded;
  std::vector<std::int32_t> order;
  Refuted refuted;
  Exclusion exclusion = Exclusion::kNone;
  std::int32_t culprit = histories::kNone;

  static Found excluded(Exclusion why, std::int32_t culprit = histories::kNone) {
    Found found;
    found.exclusion = why;
    found.culprit = culprit;
    return found;
  }
  static Found linearizable(std::vector<std::int32_t> order) {
    Found found;
    found.status = Status::kLinearizable;
    found.order = std::move(order);
    return found;
  }
  static Found violation(Refuted refuted) {
    Found found;
    found.status = Status::kViolation;
    found.refuted = std::move(refuted);
    return found;
  }
};

}  // namespace linpoint::monitors
