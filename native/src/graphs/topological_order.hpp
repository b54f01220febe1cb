// SPDX-License-Identifier: Apache-2.0
// A topological order of a precedence graph that also respects time, without explicit edges for time.
//
// Operations are placed in the order of their returns, each after its unplaced predecessors, depth-first. A predecessor
// that is called after the return being processed forms a cycle with it. Without such a cycle, and without a cycle of
// edges alone, every operation is placed in time. Cost: O(n + edges), and O(n) for each cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "graphs/explanation_choices.hpp"
#include "graphs/real_time_order.hpp"
#include "graphs/version_graph.hpp"

namespace linpoint::graphs {

/// For each failed operation the chosen explanation; its cell is kNone if none is needed.
using Explanations = std::vector<Option>;

/// A cycle of operations, each of which must come before the next. Operations are places.
struct Circle {
  struct Step {
    std::int32_t operation;
    Because because;       // why it comes before the next one
    std::int32_t version;  // kNone for time
  };
  std::vector<Step> steps;
};

class Ordering {
 public:
  enum class Answer : std::uint8_t { kOrdered, kStuck, kStopped };
  /// Called with each cycle. Returns the failed operation in it whose explanation is to be ignored for now, so that the
  /// run can continue and find more cycles; kNone to stop.
  using Stuck = std::function<std::int32_t(const Circle&)>;

  Ordering(Memory& memory, const Timing& timing, const Explanations& explanations);
  Answer run(const Stuck& stuck, search::StopToken& stop);
  [[nodiscard]] std::vector<std::int32_t>& order() { return order_; }

 private:
  enum class State : std::uint8_t { kWaiting, kAsked, kPlaced };

  bool place_after_others(std::int32_t operation);
  void place(std::int32_t operation);
  [[nodiscard]] std::int32_t first_before(std::int32_t operation);
  [[nodiscard]] std::int32_t unplaced_reader(std::int32_t version);
  [[nodiscard]] std::int32_t first_failed_before(std::int32_t operation) const;
  [[nodiscard]] Circle circle(std::int32_t overdue) const;
  template <typename Found>
  [[nodiscard]] Circle back(std::int32_t from, const Found& found) const;
  template <typename Visit>
  void predecessors(std::int32_t operation, const Visit& visit) const;
  [[nodiscard]] std::span<const std::int32_t> failed_before(std::int32_t version) const {
    const auto found = failed_before_.find(version);
    return found == failed_before_.end() ? std::span<const std::int32_t>{} : found->second;
  }
  [[nodiscard]] const Option& explanation(std::int32_t failed) const;
  [[nodiscard]] bool ignored(std::int32_t failed) const { return !ignored_.empty() && ignored_[at(failed)]; }
  [[nodiscard]] bool placed(std::int32_t operation) const { return states_[at(operation)] == State::kPlaced; }
  [[nodiscard]] bool waits(std::int32_t operation) const { return memory_.kept(operation) && !placed(operation); }

  Memory& memory_;
  const Timing& timing_;
  const Explanations& explanations_;
  std::vector<State> states_;
  std::vector<bool> ignored_;  // failed operations whose explanation does not count; empty: none
  std::vector<std::int32_t> by_return_;
  std::vector<std::int32_t> asked_;  // those that wait for their predecessors
  std::vector<std::int32_t> order_;
  std::unordered_map<std::int32_t, std::int32_t> next_reader_;  // of versions whose replacer had to wait
  std::int32_t in_circle_ = kNone;  // an operation that waits for itself, if that is why another cannot be placed
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> failed_before_;  // operations that must come before a
                                                                               // write
};

}  // namespace linpoint::graphs
