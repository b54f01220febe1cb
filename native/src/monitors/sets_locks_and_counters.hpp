// SPDX-License-Identifier: Apache-2.0
// Objects that are followed event by event, with duplicates allowed: bits (sets, locks) and counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// An operation on a bit: it turns it on or off, or saw it on or off.
enum class Touch : std::uint8_t { kTurnsOn, kTurnsOff, kSawOn, kSawOff };

struct BitOperation {
  std::int32_t op;  // of the problem
  std::int32_t bit;
  Touch touch;
  bool optional;
};

/// Bits, each by itself, in one walk through the events: the order of all of them. `on` says how each bit begins.
Found decide_bits(const search::Problem& problem, std::span<const BitOperation> operations, std::vector<bool> on);

struct CountOperation {
  std::int32_t op;
  bool optional;
  bool reads;
  std::int64_t value;  // what a read saw, counted in steps from the start; fetch-add: what it was given
};

/// A counter that counts by equal steps, and reads of it.
Found decide_counter(const search::Problem& problem, std::span<const CountOperation> operations);

/// A counter that gives everyone the count before its step.
Found decide_fetch_add(const search::Problem& problem, std::span<const CountOperation> operations);

}  // namespace linpoint::monitors
