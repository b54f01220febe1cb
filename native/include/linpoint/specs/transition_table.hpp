// SPDX-License-Identifier: Apache-2.0
// Caches steps that a source computes. Cost: one probe of a flat hash table for a known cell. Layout: 12 bytes per cell
// at a load of at most 2/3. Not thread-safe: each search has its own table over a shared source.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "linpoint/specs/integer_spec.hpp"

namespace linpoint::specs {

class TransitionTable final : public Steps {
 public:
  /// Computes the successors of a cell; called at most once for each cell while there is memory to remember it.
  using Source = std::function<void(State, Symbol, std::vector<State>&)>;

  TransitionTable(Source source, search::StopToken& stop);
  ~TransitionTable() override;

  std::span<const State> step(State state, Symbol symbol) override;

  /// The cached successors of a cell, or nothing. Valid until the next call.
  std::optional<std::span<const State>> known(State state, Symbol symbol);
  /// Caches a cell that is not known. False if there is no memory for it; the search has then been stopped.
  bool remember(State state, Symbol symbol, std::span<const State> after);

 private:
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  static constexpr State kRejected = -1;

  static std::uint64_t key_of(State state, Symbol symbol);
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  [[nodiscard]] std::span<const State> content(std::size_t slot) const;
  bool grow();

  Source source_;
  search::StopToken& stop_;
  std::vector<std::uint64_t> keys_;
  std::vector<State> values_;  // a state, kRejected, or -2 - index into lists_
  std::vector<std::vector<State>> lists_;
  std::vector<State> scratch_;
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;
};

}  // namespace linpoint::specs
