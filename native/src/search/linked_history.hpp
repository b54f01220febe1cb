// SPDX-License-Identifier: Apache-2.0
// The operations that are not yet linearized, as a doubly linked list of call and return events (Wing and Gong). lift
// and unlift are O(1); unlift must undo lifts in reverse order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linpoint/search/problem.hpp"

namespace linpoint::search {

class LinkedHistory {
 public:
  using Node = std::uint32_t;  // 2 * operation is its call, 2 * operation + 1 its return

  explicit LinkedHistory(const Problem& problem)
      : end_(static_cast<Node>(2 * problem.size())), next_(end_ + 1U), previous_(end_ + 1U) {
    std::int64_t latest = -1;
    for (const auto* ranks : {&problem.call, &problem.ret})
      for (const std::int64_t rank : *ranks)
        if (rank != kNever) latest = std::max(latest, rank);
    std::vector<Node> by_rank(static_cast<std::size_t>(latest + 1), end_);  // ranks are distinct and dense
    for (std::uint32_t op = 0; op < problem.size(); ++op) {
      by_rank[static_cast<std::size_t>(problem.call[op])] = call_of(op);
      if (problem.ret[op] != kNever) by_rank[static_cast<std::size_t>(problem.ret[op])] = call_of(op) + 1;
    }
    Node last = end_;
    for (const Node node : by_rank) {
      if (node == end_) continue;
      next_[last] = node;
      previous_[node] = last;
      last = node;
    }
    next_[last] = end_;
    previous_[end_] = last;
    for (Node op = 0; op < problem.size(); ++op) returns_.push_back(problem.ret[op] != kNever);
  }

  [[nodiscard]] Node first() const { return next_[end_]; }
  [[nodiscard]] Node end() const { return end_; }
  [[nodiscard]] Node next(Node node) const { return next_[node]; }
  [[nodiscard]] Node previous(Node node) const { return previous_[node]; }
  static Node call_of(std::uint32_t op) { return 2 * op; }
  static std::uint32_t operation(Node node) { return node / 2; }
  static bool is_return(Node node) { return (node & 1U) != 0; }

  void lift(std::uint32_t op) {
    unlink(call_of(op));
    if (returns_[op]) unlink(call_of(op) + 1);
  }

  void unlift(std::uint32_t op) {
    if (returns_[op]) relink(call_of(op) + 1);
    relink(call_of(op));
  }

 private:
  void unlink(Node node) {
    next_[previous_[node]] = next_[node];
    previous_[next_[node]] = previous_[node];
  }
  void relink(Node node) {
    next_[previous_[node]] = node;
    previous_[next_[node]] = node;
  }

  Node end_;
  std::vector<Node> next_;
  std::vector<Node> previous_;
  std::vector<bool> returns_;
};

}  // namespace linpoint::search
