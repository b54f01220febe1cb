// SPDX-License-Identifier: Apache-2.0
// Crash states: what a crash at one moment of a trace may leave in persistent memory.
//
// A state belongs to a moment, that is, to a `Persistence` that has seen the events before it, and must be used while
// it stands there. Images are made from one of two that a caller keeps up as it walks through the trace: the least,
// which has just what is certainly persistent (`Persistence::settled`), and the most, which is memory as the program
// saw it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linpoint/persistency/persistence.hpp"
#include "linpoint/persistency/pool_trace.hpp"

namespace linpoint::persistency {

struct CrashState {
  std::uint32_t position = 0;  ///< so many events have happened
  bool most = false;           ///< everything was kept, and `kept` is empty
  std::vector<Kept> kept;      ///< channels that kept more than the least, sorted
  bool operator==(const CrashState&) const = default;
};

/// Nothing but what is certain: of a completed operation (C2), after its kReturn.
[[nodiscard]] CrashState least(const Persistence& now);
/// Everything. Before a store: unrecovered (DL2). After kReturn: the other one for a completed operation.
[[nodiscard]] CrashState most(const Persistence& now);
/// Incompletely durable (DL1), right after a store: it was kept, with what it cannot be without, and nothing else.
[[nodiscard]] CrashState incompletely_durable(const Persistence& now, std::uint32_t store, std::uint64_t address);

/// Makes a state keep at least so much of a channel, and what that needs.
void keep(const Persistence& now, CrashState& state, Kept kept);
/// The prefix of a channel in a state.
[[nodiscard]] std::uint32_t prefix_of(const Persistence& now, const CrashState& state, Channel channel);
/// Whether a store has happened and is in a state's image.
[[nodiscard]] bool has(const Persistence& now, const CrashState& state, std::uint32_t store, std::uint64_t address);
/// Whether a crash can leave this: prefixes are not too long, and what overlaps was kept in order.
[[nodiscard]] bool feasible(const Persistence& now, const CrashState& state);
/// The same state with `kept` in full, also if it is the most.
[[nodiscard]] CrashState listed(const Persistence& now, const CrashState& state);

/// How many states of this moment keep a store that has just been made: those that no earlier moment has. With that of
/// all stores, how many there are in all; an upper bound where channels are bound to each other.
[[nodiscard]] double count_new(const Persistence& now, std::uint32_t store, std::uint64_t address);

struct Write {
  std::uint64_t address = 0;
  std::size_t size = 0;
  const std::byte* value = nullptr;  ///< in the trace
  std::uint32_t event = 0;
};

/// What to write over the least image, in this order. Linear in what the state keeps; the image of the most is at hand.
void collect_writes(const Persistence& now, std::span<const Event> trace, const CrashState& state,
                    std::vector<Write>& into);

/// All states of one moment, or all that differ in chosen lines and keep the least of the others, the least first.
/// Under eADR prefixes of store buffers may keep stores to other lines besides.
class Exhaustive {
 public:
  explicit Exhaustive(const Persistence& now);
  Exhaustive(const Persistence& now, std::span<const std::uint64_t> lines);

  /// How many there are from the beginning, at most 2^64 - 1. An upper bound where channels are bound to each other.
  [[nodiscard]] std::uint64_t count() const;
  /// The next one; false if there are no more.
  [[nodiscard]] bool next(CrashState& state);

 private:
  struct Digit {
    Channel channel = 0;
    std::vector<std::uint32_t> prefixes;  ///< ascending, from 0; all up to `most` if empty
    std::uint32_t most = 0;
    std::uint32_t at = 0;
    [[nodiscard]] std::uint64_t values() const;
    [[nodiscard]] std::uint32_t prefix() const { return prefixes.empty() ? at : prefixes[at]; }
  };
  void sort();
  [[nodiscard]] bool step();
  void show(CrashState& state) const;

  const Persistence& now_;
  std::vector<Digit> digits_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace linpoint::persistency
