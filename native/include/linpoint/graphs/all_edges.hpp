// SPDX-License-Identifier: Apache-2.0
// The precedence graph with all its edges, including those of time: for pictures, and to measure their cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/graphs/precedence.hpp"

namespace linpoint::graphs {

/// Which edges of time are included. `kMinimal`: the fewest whose paths give the same order (ReduceHB, figure 3 of the
/// paper), O(cn) for c concurrently open operations. `kAll`: one for every two operations that do not overlap, O(n^2).
enum class TimeEdges : int { kNone = 0, kMinimal = 1, kAll = 2 };

/// The edges between operations that certainly took effect, by the paper's rules: a failed operation comes after the
/// one that replaced the value it expected. Links from kNone are from the initial state. Empty where the graph does not
/// apply.
std::vector<Link> edges(const Question& question, TimeEdges times);

/// Whether the links between operations of a history of this size form no cycle: depth-first, as in the paper.
bool acyclic(std::size_t operations, std::span<const Link> links);

}  // namespace linpoint::graphs
