// SPDX-License-Identifier: Apache-2.0
// The steps of a spec as integers: (state, symbol) -> states, asked of the spec once and remembered.
// Cost: one probe of a flat hash table for a known cell. Layout: 12 bytes a cell at a load of at most 2/3.
// Not thread-safe: each search has its own table over a shared source.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace linpoint::search {

using State = std::int32_t;
using Symbol = std::int32_t;

class TransitionTable {
 public:
  /// Computes the successors of a cell; called at most once for each cell.
  using Source = std::function<void(State, Symbol, std::vector<State>&)>;

  explicit TransitionTable(Source source);

  /// The states after `symbol` in `state`; valid until the next call.
  std::span<const State> step(State state, Symbol symbol);

  [[nodiscard]] std::size_t cells() const { return used_; }

 private:
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  static constexpr State kRejected = -1;

  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  void grow();

  Source source_;
  std::vector<std::uint64_t> keys_;
  std::vector<State> values_;  // a state, kRejected, or -2 - index into lists_
  std::vector<std::vector<State>> lists_;
  std::vector<State> scratch_;
  std::size_t used_ = 0;
};

}  // namespace linpoint::search
