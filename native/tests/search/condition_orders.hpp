// SPDX-License-Identifier: Apache-2.0
// The orders that a condition allows, found by trying all of them.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "linpoint/search/condition_problems.hpp"
#include "tests/histories/written_histories.hpp"
#include "tests/search/small_problems.hpp"

namespace linpoint::tests {

using search::Alphabet;
using search::Condition;

using Positions = std::vector<std::int32_t>;
using Orders = std::set<Positions>;

inline constexpr std::array kConditions{
    Condition::kLinearizable, Condition::kStrict,          Condition::kRecoverable,
    Condition::kDurable,      Condition::kBufferedDurable, Condition::kSequential,
};

/// Symbols that are the positions themselves; with any result they are 100 more.
inline Alphabet letters(const Columns& columns) {
  Alphabet alphabet;
  for (const std::int32_t position : everything(columns)) {
    alphabet.exact.push_back(position);
    alphabet.loose.push_back(100 + position);
  }
  alphabet.persist = 200;
  alphabet.crash = 201;
  return alphabet;
}

inline Problem problem_of(const Columns& columns, Condition condition, const Positions& relaxed = {},
                          bool key_argument = false) {
  const Positions positions = everything(columns);
  return search::build(columns, {positions, relaxed, key_argument}, condition, letters(columns), nullptr, 0);
}

/// Every whole order that a problem allows, without the pseudo-operations.
class Allowed {
 public:
  explicit Allowed(const Problem& problem) : problem_(problem), in_(problem.size()) { extend(); }
  [[nodiscard]] const Orders& orders() const { return orders_; }

 private:
  void extend() {
    const auto in = [&](std::size_t op) { return bool{in_[op]}; };
    if (complete(problem_, in)) orders_.insert(order_);
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      if (!may_be_next(problem_, op, in)) continue;
      const bool real = problem_.position[op] >= 0;
      in_[op] = true;
      if (real) order_.push_back(problem_.position[op]);
      extend();
      if (real) order_.pop_back();
      in_[op] = false;
    }
  }

  const Problem& problem_;
  std::vector<bool> in_;
  Positions order_;
  Orders orders_;
};

/// Orders by hand. An operation named by its position.
inline bool allows(const Columns& columns, Condition condition, const Positions& order) {
  const Problem problem = problem_of(columns, condition);
  return Allowed(problem).orders().contains(order);
}

}  // namespace linpoint::tests
