// SPDX-License-Identifier: Apache-2.0
// A stack with values that occur more than once: a graph-structured stack, walked just in time.
//
// Contents are paths in a graph of *cells*: a value, and the frontier right after it was pushed. Below a cell are all
// cells that it was pushed on. A state is a frontier and the top cell. This tabulates the reachable part of a pushdown
// system: at most (n * 2^k)^2 states for k concurrently open operations.
//
// The operations before the due one can be brought into the form pops, pushes, due: a push and its pop among them, with
// everything between, can be postponed until after it. So after a push (*pushing*), nothing is popped before the row
// changes. A due pop takes the top, or is the second half of an open push; that pair restores the stack. Looks take
// effect as soon as they match.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "frontiers/frontier.hpp"

namespace linpoint::frontiers {

using histories::kNone;

/// How a state was reached: `add` pushed its cell in `state` (kPushed); `add` and `remove` followed each other (kPair);
/// or `add` pushed another cell on its cell in `state`, and in the state `inner` `remove` popped that cell.
struct Origin {
  std::int32_t state;
  std::int32_t add;
  std::int32_t remove;
  std::int32_t inner;

  static constexpr std::int32_t kPushed = -1;
  static constexpr std::int32_t kPair = -2;
};

class StackWalk {
 public:
  enum class Progress : std::uint8_t { kGoesOn, kFound, kExhausted };

  StackWalk(std::span<const Operation> operations, const Timeline& timeline, StopToken& stop)
      : operations_(operations),
        timeline_(timeline),
        frontiers_(stop),
        cell_names_(stop),
        seen_(stop),
        edges_(stop),
        pops_(stop),
        cells_(stop),
        parents_(stop),
        popped_(stop),
        states_(stop),
        work_(stop) {}

  /// Expands up to `most` states. Without memory, the result is void and the token is stopped.
  Progress go_on(std::uint64_t most) {
    if (cells_.empty()) {
      if (!cells_.push({kNothing, kNone, kNone})) return Progress::kExhausted;
      if (enter(Frontier(), kGround, kNone, {kNone, kNone, kNone, Origin::kPushed})) return Progress::kFound;
      if (frontiers_.size() == 0) return Progress::kExhausted;  // there was no memory
    }
    for (; !work_.empty() && most > 0; --most) {
      const std::int32_t item = work_.back();
      work_.truncate(work_.size() - 1);
      if (expand(item / 2, item % 2 != 0)) return Progress::kFound;
    }
    return work_.empty() ? Progress::kExhausted : Progress::kGoesOn;
  }

  [[nodiscard]] std::uint64_t states() const { return states_.size(); }
  /// The number of returns it got past.
  [[nodiscard]] std::int32_t furthest() const { return furthest_; }
  /// The operations in the order of their effects: all, or those that lead to the furthest state.
  [[nodiscard]] std::vector<std::int32_t> order() const {
    if (states_.empty()) return {};
    return replayed(steps_to(done_ ? number(states_.size()) - 1 : furthest_state_));
  }

 private:
  static constexpr std::int32_t kGround = 0;  // the cell below all others

  struct Cell {
    std::int32_t value;
    std::int32_t parents;  // the first of a list
    std::int32_t pops;     // the first of a list
  };
  struct Parent {
    std::int32_t cell;
    std::int32_t state;  // in which `operation` pushed on it
    std::int32_t operation;
    std::int32_t next;
  };
  struct Popped {
    std::int32_t frontier;  // right after
    std::int32_t state;     // in which `operation` popped
    std::int32_t operation;
    std::int32_t next;
  };
  struct State {
    std::int32_t frontier;
    std::int32_t cell;
    Origin origin;
  };

  [[nodiscard]] const Operation& operation(std::int32_t index) const { return operations_[at(index)]; }

  /// Takes the looks that match.
  void look(Frontier& frontier, std::int32_t value, std::vector<std::int32_t>* order = nullptr) const {
    for (bool again = true; again;) {
      again = false;
      for (const std::size_t slot : Bits(timeline_.candidates(frontier))) {
        const std::int32_t index = timeline_.at_slot(frontier, slot);
        if (operation(index).role != Role::kLook || operation(index).value != value) continue;
        timeline_.insert(frontier, index);
        if (order != nullptr) order->push_back(index);
        again = true;
        break;
      }
    }
  }

  /// `row`: nothing may be popped before this row has changed; kNone for none. True when all operations are in.
  bool enter(Frontier frontier, std::int32_t cell, std::int32_t row, const Origin& origin) {
    look(frontier, cells_[at(cell)].value);
    const bool pushing = frontier.row == row;
    const std::int32_t name = frontiers_(frontier);
    const auto key = (static_cast<std::uint64_t>(name) << 33U) | (static_cast<std::uint64_t>(cell) << 1U) |
                     static_cast<std::uint64_t>(pushing);
    if (!seen_.insert(key)) return false;
    done_ = timeline_.complete(frontier);
    if (!states_.push({name, cell, origin})) return done_ = false;
    const std::int32_t state = number(states_.size()) - 1;
    if (frontier.row > furthest_) {
      furthest_ = frontier.row;
      furthest_state_ = state;
    }
    if (!done_) std::ignore = work_.push(2 * state + (pushing ? 1 : 0));
    return done_;
  }

  bool push(std::int32_t state, Frontier frontier, std::int32_t index, std::int32_t row) {
    timeline_.insert(frontier, index);
    const std::int32_t beneath = states_[at(state)].cell;
    const std::int32_t value = operation(index).value;
    const std::int32_t cell = cell_names_({frontiers_(frontier), static_cast<Mask>(value)}) + 1;
    if (std::cmp_equal(cell, cells_.size()) && !cells_.push({value, kNone, kNone})) return false;
    if (std::cmp_greater_equal(cell, cells_.size())) return false;  // there was no memory for its number
    const Origin pushed{state, index, kNone, Origin::kPushed};
    if (!edges_.insert(key_of(cell, beneath))) return enter(frontier, cell, row, pushed);
    if (!parents_.push({beneath, state, index, cells_[at(cell)].parents})) return false;
    cells_[at(cell)].parents = number(parents_.size()) - 1;
    if (enter(frontier, cell, row, pushed)) return true;
    for (std::int32_t i = cells_[at(cell)].pops; i != kNone; i = popped_[at(i)].next) {
      const Popped known = popped_[at(i)];
      if (enter(frontiers_[known.frontier], beneath, kNone, {state, index, known.operation, known.state})) return true;
    }
    return false;
  }

  bool pop(std::int32_t state, Frontier frontier, std::int32_t index) {
    timeline_.insert(frontier, index);
    const std::int32_t cell = states_[at(state)].cell;
    const std::int32_t name = frontiers_(frontier);
    if (!pops_.insert(key_of(cell, name))) return false;
    if (!popped_.push({name, state, index, cells_[at(cell)].pops})) return false;
    cells_[at(cell)].pops = number(popped_.size()) - 1;
    for (std::int32_t i = cells_[at(cell)].parents; i != kNone; i = parents_[at(i)].next) {
      const Parent parent = parents_[at(i)];
      if (enter(frontier, parent.cell, kNone, {parent.state, parent.operation, index, state})) return true;
    }
    return false;
  }

  /// The operations that can come before the due one: of equivalent ones, the one that returns first.
  struct Choices {
    std::int32_t pop = kNone;      // of the top value
    std::int32_t any_pop = kNone;  // with an unknown result
    std::vector<std::int32_t> pushes;
  };

  [[nodiscard]] Choices choices(const Frontier& frontier, std::int32_t cell) const {
    Choices found;
    const std::int32_t top = cells_[at(cell)].value;
    const auto sooner = [&](std::int32_t index, std::int32_t other) {
      return other == kNone || operation(index).sooner_than(operation(other));
    };
    for (const std::size_t slot : Bits(timeline_.candidates(frontier))) {
      const std::int32_t index = timeline_.at_slot(frontier, slot);
      const Operation& each = operation(index);
      if (each.role == Role::kRemove && cell != kGround) {
        if (each.value == top && sooner(index, found.pop)) found.pop = index;
        if (each.value == kAnything && sooner(index, found.any_pop)) found.any_pop = index;
      } else if (each.role == Role::kAdd) {
        const auto equal = std::ranges::find_if(
            found.pushes, [&](std::int32_t other) { return operation(other).value == each.value; });
        if (equal == found.pushes.end())
          found.pushes.push_back(index);
        else if (sooner(index, *equal))
          *equal = index;
      }
    }
    return found;
  }

  /// Continues from a state in every way that can matter; the most promising one last, so that it is expanded next.
  bool expand(std::int32_t state, bool pushing) {
    const std::int32_t cell = states_[at(state)].cell;
    const Frontier frontier = frontiers_[states_[at(state)].frontier];
    const std::int32_t due = timeline_.due(frontier.row);
    const Operation& wanted = operation(due);
    const Choices found = choices(frontier, cell);
    const auto pops = [&](std::int32_t index) { return index != kNone && pop(state, frontier, index); };
    if (wanted.role == Role::kRemove) {
      if (found.pop != due && pops(found.any_pop)) return true;
      return pair(state, frontier, found, due) || pops(found.pop);
    }
    if (wanted.role == Role::kLook) {
      if (wanted.value != kNothing && pushes(state, frontier, found, due)) return true;
      return !pushing && (pops(found.any_pop) || pops(found.pop));
    }
    if (!pushing && pops(found.any_pop)) return true;
    if (pushes(state, frontier, found, due)) return true;
    if (!pushing && pops(found.pop)) return true;
    return push(state, frontier, due, kNone);
  }

  /// A push of the value that is due to be popped, and that pop.
  bool pair(std::int32_t state, const Frontier& frontier, const Choices& found, std::int32_t due) {
    const std::int32_t value = operation(due).value;
    for (const std::int32_t index : found.pushes) {
      if (operation(index).value != value) continue;
      Frontier after = frontier;
      timeline_.insert(after, index);
      look(after, value);
      timeline_.insert(after, due);
      if (enter(after, states_[at(state)].cell, kNone, {state, index, due, Origin::kPair})) return true;
    }
    return false;
  }

  bool pushes(std::int32_t state, const Frontier& frontier, const Choices& found, std::int32_t due) {
    return std::ranges::any_of(
        found.pushes, [&](std::int32_t index) { return index != due && push(state, frontier, index, frontier.row); });
  }

  /// Pushes and pops that lead to a state. The path is walked backwards: it leaves the level of a cell through the
  /// remembered push, since several operations may have pushed one cell.
  [[nodiscard]] std::vector<std::int32_t> steps_to(std::int32_t state) const {
    std::vector<std::int32_t> steps;
    std::vector<std::pair<std::int32_t, std::int32_t>> back;  // state and push
    while (states_[at(state)].origin.state != kNone) {
      const Origin& origin = states_[at(state)].origin;
      if (origin.inner >= 0) {
        steps.push_back(origin.remove);
        back.emplace_back(origin.state, origin.add);
        state = origin.inner;
      } else if (origin.inner == Origin::kPair) {
        steps.push_back(origin.remove);
        steps.push_back(origin.add);
        state = origin.state;
      } else if (back.empty()) {
        steps.push_back(origin.add);
        state = origin.state;
      } else {
        steps.push_back(back.back().second);
        state = back.back().first;
        back.pop_back();
      }
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  /// The same with the looks between them.
  [[nodiscard]] std::vector<std::int32_t> replayed(const std::vector<std::int32_t>& steps) const {
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> values;
    Frontier frontier;
    const auto looks = [&] { look(frontier, values.empty() ? kNothing : values.back(), &order); };
    looks();
    for (const std::int32_t index : steps) {
      timeline_.insert(frontier, index);
      order.push_back(index);
      if (operation(index).role == Role::kAdd)
        values.push_back(operation(index).value);
      else if (!values.empty())
        values.pop_back();
      looks();
    }
    return order;
  }

  std::span<const Operation> operations_;
  const Timeline& timeline_;
  Numbering frontiers_;
  Numbering cell_names_;
  KeySet seen_;
  KeySet edges_;
  KeySet pops_;
  AccountedVector<Cell> cells_;
  AccountedVector<Parent> parents_;
  AccountedVector<Popped> popped_;
  AccountedVector<State> states_;
  AccountedVector<std::int32_t> work_;  // 2 * state, and 1 if it is pushing
  std::int32_t furthest_ = 0;
  std::int32_t furthest_state_ = 0;
  bool done_ = false;
};

}  // namespace linpoint::frontiers
