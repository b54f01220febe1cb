// SPDX-License-Identifier: Apache-2.0
// A topological order of a precedence graph that also respects time, without an edge for time.
//
// Of the operations whose predecessors are all placed, the one that was called first comes next. If an operation that
// is not placed yet returned before that call, no order exists: its predecessors that are not placed lead back to one
// that was called too late. Cost: O((n + edges) log n).
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "graphs/choices.hpp"
#include "graphs/memory.hpp"

namespace linpoint::graphs {

/// For each failed operation the explanation that was chosen; its cell is kNone where none is needed.
using Explanations = std::vector<Option>;

/// Puts the failed operations into the lists of the versions that explain them.
void explain(Memory& memory, const Explanations& explanations);

/// Edges of pairs of the problem: what the condition orders beside times.
class PairEdges {
 public:
  PairEdges(const search::Problem& problem, Rules rules, const histories::Columns& columns);
  [[nodiscard]] std::span<const std::int32_t> after(std::int32_t operation) const { return of(after_, operation); }
  [[nodiscard]] std::span<const std::int32_t> before(std::int32_t operation) const { return of(before_, operation); }
  [[nodiscard]] bool empty() const { return after_.items.empty(); }

 private:
  struct Lists {
    std::vector<std::size_t> first;
    std::vector<std::int32_t> items;
  };
  static Lists listed(std::size_t size, const std::vector<search::Pair>& pairs, bool reversed);
  static std::span<const std::int32_t> of(const Lists& lists, std::int32_t operation) {
    if (lists.items.empty()) return {};
    const std::size_t first = lists.first[at(operation)];
    return std::span(lists.items).subspan(first, lists.first[at(operation) + 1] - first);
  }
  Lists after_;
  Lists before_;
};

/// A circle of operations, each of which must come before the next. Operations are numbers in the problem.
struct Circle {
  struct Step {
    std::int32_t operation;
    Because because;       // it comes before the next one
    std::int32_t version;  // kNone for time
  };
  std::vector<Step> steps;
};

class Ordering {
 public:
  enum class Answer : std::uint8_t { kOrdered, kStuck, kStopped };
  /// Is given each circle. Gives the failed operation in it whose explanation is to be ignored for now, so that it can
  /// go on and find more circles; kNone to stop.
  using Stuck = std::function<std::int32_t(const Circle&)>;

  /// Failed operations must stand in the lists of the versions that explain them.
  Ordering(const Memory& memory, const search::Problem& problem, const PairEdges& pairs,
           const Explanations& explanations);
  Answer run(const Stuck& stuck, search::StopToken& stop);
  [[nodiscard]] std::vector<std::int32_t>& order() { return order_; }

 private:
  void count();
  void place(std::int32_t operation);
  void arrive(std::int32_t operation);
  void ignore(std::int32_t failed);
  [[nodiscard]] Circle circle(std::int32_t overdue) const;
  template <typename Found>
  [[nodiscard]] Circle back(std::int32_t from, const Found& found) const;
  template <typename Visit>
  void predecessors(std::int32_t operation, const Visit& visit) const;
  [[nodiscard]] const Option& explanation(std::int32_t failed) const;
  [[nodiscard]] bool ignored(std::int32_t failed) const { return !ignored_.empty() && ignored_[at(failed)]; }
  [[nodiscard]] bool waits(std::int32_t operation) const { return memory_.kept(operation) && !placed_[at(operation)]; }

  const Memory& memory_;
  const search::Problem& problem_;
  const PairEdges& pairs_;
  const Explanations& explanations_;
  std::vector<std::int32_t> pending_;  // predecessors that are not placed
  std::vector<bool> placed_;
  std::vector<bool> ignored_;  // failed operations whose explanation does not count; empty: none
  std::vector<std::int32_t> by_return_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready_;
  std::vector<std::int32_t> order_;
};

}  // namespace linpoint::graphs
