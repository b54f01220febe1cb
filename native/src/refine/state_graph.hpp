// SPDX-License-Identifier: Apache-2.0
// All states of a model and the steps between them, for the search of infinite runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "linpoint/search/stop_token.hpp"

namespace linpoint::refine {

/// The label of a step, in a byte: its process, and whether an operation returns or a buffered store reaches memory.
struct Label {
  static constexpr std::uint8_t kReturns = 0x40;
  static constexpr std::uint8_t kDrains = 0x80;
  std::uint8_t bits = 0;
  [[nodiscard]] unsigned process() const { return bits & 0x3fU; }
  [[nodiscard]] bool returns() const { return (bits & kReturns) != 0; }
  [[nodiscard]] bool drains() const { return (bits & kDrains) != 0; }
};

/// The steps of state s are those from `first[s]` to `first[s + 1]`. States are numbered as a single-threaded search
/// found them.
struct Graph {
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> to;
  std::vector<Label> label;

  [[nodiscard]] std::uint32_t states() const { return static_cast<std::uint32_t>(first.size() - 1); }
};

using State = std::uint32_t;
using Wanted = std::function<bool(State)>;
using Allowed = std::function<bool(State, std::uint64_t)>;

/// Finds the strongly connected components of allowed steps between wanted states that contain such a step (Tarjan,
/// SIAM J. Comput. 1972, without recursion). `found` is called with each; if it returns false, the search ends.
void components(const Graph& graph, const Wanted& wanted, const Allowed& allowed,
                const std::function<bool(const std::vector<State>&)>& found, search::StopToken& stop);

/// A shortest path of allowed steps from one state to a goal state, as steps; empty if there is none or `from` is a
/// goal.
std::vector<std::uint64_t> shortest_way(const Graph& graph, State from, const Allowed& allowed, const Wanted& goal);

}  // namespace linpoint::refine
