// SPDX-License-Identifier: Apache-2.0
// Crash states: what a crash at one moment of a trace may leave in persistent memory.
//
// A state belongs to one moment, that is, to a `Persistence` that has processed the events before it, and is valid only
// until that advances. Images are built from one of two that the caller maintains while walking the trace: the least,
// which holds only what is certainly persistent (`Persistence::settled`), and the most, which is memory as the program
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
  std::uint32_t position = 0;  ///< number of events that have happened
  bool most = false;           ///< everything was kept, and `kept` is empty
  std::vector<Kept> kept;      ///< channels that kept more than the least, sorted
  bool operator==(const CrashState&) const = default;
};

/// Only what is certain. For a completed operation (C2): use it after its kReturn.
[[nodiscard]] CrashState least(const Persistence& now);
/// Everything. Before a store: unrecovered (DL2). After kReturn: the other state for a completed operation.
[[nodiscard]] CrashState most(const Persistence& now);
/// Incompletely durable (DL1), right after a store: keeps that store and the stores it requires, and nothing else.
[[nodiscard]] CrashState incompletely_durable(const Persistence& now, std::uint32_t store, std::uint64_t address);

/// Makes a state keep at least this prefix of a channel, and the stores that this requires.
void keep(const Persistence& now, CrashState& state, Kept kept);
/// The prefix of a channel that a state keeps.
[[nodiscard]] std::uint32_t prefix_of(const Persistence& now, const CrashState& state, Channel channel);
/// Whether a store has happened and is in a state's image.
[[nodiscard]] bool has(const Persistence& now, const CrashState& state, std::uint32_t store, std::uint64_t address);
/// Whether a crash can leave this state: prefixes are not too long, and overlapping stores were kept in order.
[[nodiscard]] bool feasible(const Persistence& now, const CrashState& state);
/// The same state with `kept` listed in full, even if it is the most.
[[nodiscard]] CrashState listed(const Persistence& now, const CrashState& state);

/// The number of states of this moment that keep the store just made, that is, the states that no earlier moment has.
/// The sum over all stores is the total; an upper bound where channels depend on each other.
[[nodiscard]] double count_new(const Persistence& now, std::uint32_t store, std::uint64_t address);

struct Write {
  std::uint64_t address = 0;
  std::size_t size = 0;
  const std::byte* value = nullptr;  ///< in the trace
  std::uint32_t event = 0;
};

/// Collects the writes to apply to the least image, in this order. Linear in what the state keeps; for the most state,
/// use its own image.
void collect_writes(const Persistence& now, std::span<const Event> trace, const CrashState& state,
                    std::vector<Write>& into);

/// Enumerates all states of one moment, or all that differ in chosen lines and keep the least of the others, the least
/// first. Under eADR, prefixes of store buffers may also keep stores to other lines.
class Exhaustive {
 public:
  explicit Exhaustive(const Persistence& now);
  Exhaustive(const Persistence& now, std::span<const std::uint64_t> lines);

  /// The total number of states, at most 2^64 - 1. An upper bound where channels depend on each other.
  [[nodiscard]] std::uint64_t count() const;
  /// The next state; false if there are no more.
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
