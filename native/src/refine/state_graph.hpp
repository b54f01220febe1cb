// SPDX-License-Identifier: Apache-2.0
// All states of a model and the steps between them, to look for runs that go on for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "linpoint/search/stop_token.hpp"

namespace linpoint::refine {

/// What a step is, in a byte: its process, and whether an operation returns with it or a waiting store reaches memory.
struct Label {
  static constexpr std::uint8_t kReturns = 0x40;
  static constexpr std::uint8_t kDrains = 0x80;
  std::uint8_t bits = 0;
  [[nodiscard]] unsigned process() const { return bits & 0x3fU; }
  [[nodiscard]] bool returns() const { return (bits & kReturns) != 0; }
  [[nodiscard]] bool drains() const { return (bits & kDrains) != 0; }
};

/// Steps of state s are those from `first[s]` to `first[s + 1]`. States are numbered as a search on one thread found
/// them.
struct Graph {
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> to;
  std::vector<Label> label;

  [[nodiscard]] std::uint32_t states() const { return static_cast<std::uint32_t>(first.size() - 1); }
};

using State = std::uint32_t;
using Wanted = std::function<bool(State)>;
using Allowed = std::function<bool(State, std::uint64_t)>;

/// Sets of states that can all reach each other over allowed steps between wanted states, each with such a step inside
/// (Tarjan, SIAM J. Comput. 1972, without recursion). `found` is told each; false from it ends the search.
void components(const Graph& graph, const Wanted& wanted, const Allowed& allowed,
                const std::function<bool(const std::vector<State>&)>& found, search::StopToken& stop);

/// A shortest way over allowed steps from one state to one that is a goal, as steps; empty if there is none or `from`
/// is one.
std::vector<std::uint64_t> shortest_way(const Graph& graph, State from, const Allowed& allowed, const Wanted& goal);

}  // namespace linpoint::refine
