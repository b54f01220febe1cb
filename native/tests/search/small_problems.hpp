// SPDX-License-Identifier: Apache-2.0
// Small problems over small automata, and what is true of them from the definition alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "linpoint/search/problem.hpp"
#include "linpoint/search/stop_token.hpp"
#include "linpoint/specs/transition_table.hpp"
#include "tests/support/seeded_random.hpp"

namespace linpoint::tests {

using search::kNever;
using search::Pair;
using search::Problem;
using search::State;
using search::StopToken;
using search::Symbol;

/// Symbols 0..3 read a state, 4..7 write one; the others do as the dice say: none, one or two states follow a state.
class Automaton {
 public:
  static constexpr std::size_t kStates = 4;
  static constexpr std::size_t kSymbols = 12;

  explicit Automaton(Dice& dice) {
    for (std::size_t state = 0; state < kStates; ++state)
      for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
        auto& cell = cells_[state][symbol];
        if (symbol < kStates) {
          if (state == symbol) cell.push_back(static_cast<State>(state));
        } else if (symbol < 2 * kStates) {
          cell.push_back(static_cast<State>(symbol - kStates));
        } else {
          for (const std::size_t many = dice.pick(3); cell.size() < many;) {
            const auto after = static_cast<State>(dice.pick(kStates));
            if (std::find(cell.begin(), cell.end(), after) == cell.end()) cell.push_back(after);
          }
        }
      }
  }

  [[nodiscard]] const std::vector<State>& step(State state, Symbol symbol) const {
    return cells_[static_cast<std::size_t>(state)][static_cast<std::size_t>(symbol)];
  }

  [[nodiscard]] std::unique_ptr<specs::Steps> steps(StopToken& stop) const {
    return std::make_unique<specs::TransitionTable>(
        [this](State state, Symbol symbol, std::vector<State>& out) { out = step(state, symbol); }, stop);
  }

  /// Whether no state is changed by it.
  [[nodiscard]] bool reads(Symbol symbol) const {
    for (State state = 0; state < static_cast<State>(kStates); ++state)
      for (const State after : step(state, symbol))
        if (after != state) return false;
    return true;
  }

  /// Whether there is one state only that it leads to.
  [[nodiscard]] bool determines(Symbol symbol) const {
    std::array<bool, kStates> reached{};
    for (State state = 0; state < static_cast<State>(kStates); ++state)
      for (const State after : step(state, symbol)) reached[static_cast<std::size_t>(after)] = true;
    return std::count(reached.begin(), reached.end(), true) <= 1;
  }

 private:
  std::array<std::array<std::vector<State>, kSymbols>, kStates> cells_;
};

/// Which features a random problem may have.
struct Features {
  bool optional = true;  // operations that may be left out
  bool lasting = true;   // and of those some that never end
  bool pairs = true;
};

/// Spans that begin and end near each other, sorted by call, with dense ranks.
inline std::vector<std::pair<std::int64_t, std::int64_t>> random_spans(Dice& dice, std::size_t operations) {
  std::vector<std::int64_t> ranks(2 * operations);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i);
  const std::size_t reach = 1 + dice.pick(2 * operations);
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i)
    std::swap(ranks[i], ranks[std::min(i + dice.pick(reach), ranks.size() - 1)]);
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  spans.reserve(operations);
  for (std::size_t i = 0; i < operations; ++i)
    spans.emplace_back(std::min(ranks[2 * i], ranks[2 * i + 1]), std::max(ranks[2 * i], ranks[2 * i + 1]));
  std::sort(spans.begin(), spans.end());
  return spans;
}

/// Adds an operation; the calls must come in their order.
inline void add(Problem& problem, Symbol symbol, std::int64_t call, std::int64_t ret, bool optional, bool reads) {
  problem.position.push_back(static_cast<std::int32_t>(problem.size()));
  problem.symbol.push_back(symbol);
  problem.call.push_back(call);
  problem.ret.push_back(ret);
  problem.optional.push_back(optional ? 1 : 0);
  problem.reads.push_back(reads ? 1 : 0);
  problem.settles.push_back(0);
  problem.despairs.push_back(0);
  problem.revives.push_back(0);
}

inline void add_random_pairs(Problem& problem, Dice& dice) {
  for (std::size_t tries = dice.pick(5); tries > 0; --tries) {
    const std::size_t a = dice.pick(problem.size());
    const std::size_t b = dice.pick(problem.size());
    if (a == b) continue;
    const Pair pair{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)};
    (problem.optional[a] != 0 || dice.one_in(4) ? problem.excluded : problem.before).push_back(pair);
  }
}

/// Marks what nothing overlaps and what leaves one state only, where there are no pairs.
inline void mark_settling(Problem& problem, const Automaton& automaton) {
  if (!problem.before.empty() || !problem.excluded.empty()) return;
  for (std::size_t op = 0; op < problem.size(); ++op) {
    bool alone = problem.optional[op] == 0 && automaton.determines(problem.symbol[op]);
    for (std::size_t other = 0; other < problem.size(); ++other)
      alone = alone && (other == op || problem.ret[op] < problem.call[other] || problem.ret[other] < problem.call[op]);
    problem.settles[op] = alone ? 1 : 0;
  }
}

/// Makes a state the hopeless one: says of each operation whether it is not allowed there and whether it leads out.
inline void set_hopeless(Problem& problem, const Automaton& automaton, State hopeless) {
  problem.hopeless = hopeless;
  for (std::size_t op = 0; op < problem.size(); ++op) {
    const std::vector<State>& after = automaton.step(hopeless, problem.symbol[op]);
    problem.despairs[op] = after.empty() ? 1 : 0;
    problem.revives[op] = after.empty() || after == std::vector{hopeless} ? 0 : 1;
  }
}

inline Problem random_problem(Dice& dice, const Automaton& automaton, std::size_t operations, Features features) {
  Problem problem;
  // Few symbols make many operations equal.
  const std::size_t offset = dice.pick(Automaton::kSymbols);
  const std::size_t symbols = dice.one_in(3) ? 2 : Automaton::kSymbols;
  for (const auto& [call, ret] : random_spans(dice, operations)) {
    const bool optional = features.optional && dice.one_in(3);
    const auto symbol = static_cast<Symbol>((offset + dice.pick(symbols)) % Automaton::kSymbols);
    const bool endless = features.lasting && dice.one_in(optional ? 2 : 12);
    add(problem, symbol, call, endless ? kNever : ret, optional, automaton.reads(symbol));
  }
  if (features.pairs && dice.one_in(2)) add_random_pairs(problem, dice);
  mark_settling(problem, automaton);
  if (dice.one_in(2)) set_hopeless(problem, automaton, static_cast<State>(dice.pick(Automaton::kStates)));
  problem.initial = static_cast<State>(dice.pick(Automaton::kStates));
  return problem;
}

/// Which operations have taken effect, as bits.
using Mask = std::uint32_t;
inline bool has(Mask mask, std::size_t op) { return ((mask >> op) & 1U) != 0; }

/// From the definition: whether `op` may take effect when exactly those of `in` have.
template <typename In>
bool may_be_next(const Problem& problem, std::size_t op, In in) {
  if (in(op)) return false;
  for (std::size_t other = 0; other < problem.size(); ++other) {
    if (!in(other) && problem.optional[other] == 0 && problem.ret[other] < problem.call[op]) return false;
    if (in(other) && problem.ret[op] < problem.call[other]) return false;
  }
  const auto index = static_cast<std::int32_t>(op);
  for (const Pair& pair : problem.before)
    if (pair.second == index && !in(static_cast<std::size_t>(pair.first))) return false;
  return std::none_of(problem.excluded.begin(), problem.excluded.end(), [&](const Pair& pair) {
    return pair.first == index && in(static_cast<std::size_t>(pair.second));
  });
}

template <typename In>
bool complete(const Problem& problem, In in) {
  for (std::size_t op = 0; op < problem.size(); ++op)
    if (problem.optional[op] == 0 && !in(op)) return false;
  return true;
}

/// From the definition: is there an order, whatever it takes? Goes through all sets of operations and all states.
template <typename Step>
class Reachable {
 public:
  Reachable(const Problem& problem, std::size_t states, Step step)
      : problem_(problem), states_(states), step_(step), visited_((std::size_t{1} << problem.size()) * states) {}

  bool complete_from(Mask mask, State state) {
    const auto in = [mask](std::size_t op) { return has(mask, op); };
    if (complete(problem_, in)) return true;
    const std::size_t place = mask * states_ + static_cast<std::size_t>(state);
    if (visited_[place]) return false;
    visited_[place] = true;
    for (std::size_t op = 0; op < problem_.size(); ++op) {
      if (!may_be_next(problem_, op, in)) continue;
      for (const State after : step_(state, problem_.symbol[op]))
        if (complete_from(mask | (Mask{1} << op), after)) return true;
    }
    return false;
  }

 private:
  const Problem& problem_;
  std::size_t states_;
  Step step_;
  std::vector<bool> visited_;
};

inline bool linearizable(const Problem& problem, const Automaton& automaton) {
  const auto step = [&](State state, Symbol symbol) { return automaton.step(state, symbol); };
  return Reachable(problem, Automaton::kStates, step).complete_from(0, problem.initial);
}

/// Whether every operation of `order` may come where it is; if `whole`, none that must be there is missing.
template <typename Step>
bool legal(const Problem& problem, const std::vector<std::int32_t>& order, bool whole, Step step) {
  std::vector<bool> taken(problem.size());
  const auto in = [&](std::size_t op) { return bool{taken[op]}; };
  std::vector<State> states{problem.initial};
  for (const std::int32_t each : order) {
    const auto op = static_cast<std::size_t>(each);
    if (op >= problem.size() || !may_be_next(problem, op, in)) return false;
    taken[op] = true;
    std::vector<State> after;
    for (const State state : states)
      for (const State next : step(state, problem.symbol[op]))
        if (std::find(after.begin(), after.end(), next) == after.end()) after.push_back(next);
    states = std::move(after);
    if (states.empty()) return false;
  }
  return !whole || complete(problem, in);
}

inline bool legal(const Problem& problem, const std::vector<std::int32_t>& order, bool whole,
                  const Automaton& automaton) {
  return legal(problem, order, whole, [&](State state, Symbol symbol) { return automaton.step(state, symbol); });
}

}  // namespace linpoint::tests
