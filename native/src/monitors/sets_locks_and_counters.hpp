// SPDX-License-Identifier: Apache-2.0
// Objects that are followed event by event, with duplicates allowed: bits (sets, locks) and counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// An operation on a bit: it turns it on or off, or observed it on or off.
enum class Touch : std::uint8_t { kTurnsOn, kTurnsOff, kSawOn, kSawOff };

struct BitOperation {
  std::int32_t op;  // of the problem
  std::int32_t bit;
  Touch touch;
  bool optional;
};

/// Independent bits, in one walk through the events, with an order of all of them. `on` has each bit's initial state.
Found decide_bits(const search::Problem& problem, std::span<const BitOperation> operations, std::vector<bool> on);

struct CountOperation {
  std::int32_t op;
  bool optional;
  bool reads;
  std::int64_t value;  // the count observed by a read, in steps from the start; for fetch-add: the count it was given
};

/// A counter with equal steps, and reads of it.
Found decide_counter(const search::Problem& problem, std::span<const CountOperation> operations);

/// A counter that gives every operation the count before its step.
Found decide_fetch_add(const search::Problem& problem, std::span<const CountOperation> operations);

}  // namespace linpoint::monitors
