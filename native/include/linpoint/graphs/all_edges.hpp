// SPDX-License-Identifier: Apache-2.0
// The precedence graph with all its edges, those of time among them: for pictures, and to measure what they cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/graphs/precedence.hpp"

namespace linpoint::graphs {

/// Which edges of time there are. `kMinimal`: the fewest whose paths say the same (ReduceHB, figure 3 of the paper):
/// O(cn) for c operations open at once. `kAll`: for every two operations that do not overlap, O(n^2).
enum class TimeEdges : int { kNone = 0, kMinimal = 1, kAll = 2 };

/// The edges between operations that certainly had their effects, in the paper's rules: a failed operation comes after
/// the one that replaced what it expected. Links from kNone are from the first state. Empty where the graph does not
/// apply.
std::vector<Link> edges(const Question& question, TimeEdges times);

/// Whether links between operations of a history of that size close no circle: depth-first, as the paper does it.
bool acyclic(std::size_t operations, std::span<const Link> links);

}  // namespace linpoint::graphs
