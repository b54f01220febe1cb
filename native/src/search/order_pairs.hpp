// SPDX-License-Identifier: Apache-2.0
// Pairs of a problem by operation, and which of several equal operations must be tried.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "linpoint/search/problem.hpp"

namespace linpoint::search {

/// For each operation, its partners in pairs, as one flat array with offsets.
class Adjacency {
 public:
  template <typename Owner, typename Partner>
  Adjacency(std::size_t operations, std::span<const Pair> pairs, Owner owner, Partner partner)
      : offset_(pairs.empty() ? 0 : operations + 1) {
    if (pairs.empty()) return;
    for (const Pair& pair : pairs) ++offset_[static_cast<std::size_t>(owner(pair)) + 1];
    for (std::size_t i = 1; i < offset_.size(); ++i) offset_[i] += offset_[i - 1];
    partner_.resize(pairs.size());
    std::vector<std::size_t> next(offset_.begin(), offset_.end() - 1);
    for (const Pair& pair : pairs)
      partner_[next[static_cast<std::size_t>(owner(pair))]++] = static_cast<std::size_t>(partner(pair));
  }
  [[nodiscard]] std::span<const std::size_t> of(std::size_t op) const {
    if (offset_.empty()) return {};
    return std::span(partner_).subspan(offset_[op], offset_[op + 1] - offset_[op]);
  }

 private:
  std::vector<std::size_t> offset_;
  std::vector<std::size_t> partner_;
};

/// For each operation, those that must have taken effect before it.
inline Adjacency awaited(const Problem& problem) {
  return {problem.size(), problem.before, [](const Pair& p) { return p.second; },
          [](const Pair& p) { return p.first; }};
}

/// For each operation, those that must not have taken effect before it.
inline Adjacency forbidden(const Problem& problem) {
  return {problem.size(), problem.excluded, [](const Pair& p) { return p.first; },
          [](const Pair& p) { return p.second; }};
}

/// Which operations are in a pair.
inline std::vector<bool> tied_operations(const Problem& problem) {
  std::vector<bool> tied(problem.size());
  for (const auto* pairs : {&problem.before, &problem.excluded})
    for (const Pair& pair : *pairs)
      tied[static_cast<std::size_t>(pair.first)] = tied[static_cast<std::size_t>(pair.second)] = true;
  return tied;
}

inline constexpr std::int32_t kNoRival = -1;

/// Among equal operations that are open together, only the one that returns first must be tried: it can replace any
/// other now, and the other can take its place later. Returns for each operation one to be tried before it, called
/// before it and therefore available whenever it is. Operations in pairs are not equal to any other.
inline std::vector<std::int32_t> rivals(const Problem& problem) {
  const std::vector<bool> tied = tied_operations(problem);
  std::vector<std::int32_t> rival(problem.size(), kNoRival);
  // `last` returns the latest operation of a symbol, separately for optional and mandatory ones.
  const auto find = [&](auto last) {
    for (std::size_t op = 0; op < problem.size(); ++op) {
      const bool optional = problem.optional[op] != 0;
      if (tied[op] || (optional && problem.ret[op] != kNever)) continue;
      std::int32_t& previous = last(2 * static_cast<std::size_t>(problem.symbol[op]) + (optional ? 1 : 0));
      if (previous != kNoRival) {
        const auto other = static_cast<std::size_t>(previous);
        const bool sooner = problem.ret[other] < problem.ret[op] && problem.ret[other] > problem.call[op];
        // Operations that never end are permanently interchangeable: the first called comes first.
        if (problem.ret[op] == kNever ? problem.ret[other] == kNever : sooner) rival[op] = previous;
      }
      previous = static_cast<std::int32_t>(op);
    }
  };
  const Symbol most = problem.symbol.empty() ? 0 : *std::max_element(problem.symbol.begin(), problem.symbol.end());
  const std::size_t symbols = 2 * static_cast<std::size_t>(most) + 2;
  if (symbols / 8 <= problem.size()) {
    std::vector<std::int32_t> last(symbols, kNoRival);
    find([&](std::size_t symbol) -> std::int32_t& { return last[symbol]; });
  } else {  // one of many objects: a column for all symbols is not worthwhile
    std::unordered_map<std::size_t, std::int32_t> last;
    find([&](std::size_t symbol) -> std::int32_t& { return last.try_emplace(symbol, kNoRival).first->second; });
  }
  return rival;
}

}  // namespace linpoint::search
