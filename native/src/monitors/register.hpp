// SPDX-License-Identifier: Apache-2.0
// One value that is read, written and replaced: registers, and entries of maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// What an operation did to the value. `kDiffers`: it saw that the value was not `old`.
enum class Act : std::uint8_t { kWrite, kRead, kReplace, kDiffers };

struct Access {
  Act act;
  bool optional;
  std::int32_t op;
  std::int32_t old;  // what was read, replaced or not there
  std::int32_t now;  // what was written
  Interval owns;
};

/// The value of an absent entry.
inline constexpr std::int32_t kAbsent = -2;

/// `gaps` counts the gaps of all operations. An order may have to be replayed: where operations say that the value
/// differs from one, they are put where they fit.
Found decide_register(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps);

/// Puts operations that saw that the value was not `old` into an order of the others; false if one does not fit.
/// `values` are those behind each operation of the order, after the first one.
bool insert_differing(std::span<const Access> differing, std::span<const Interval> owns, std::int32_t initial,
                      std::span<const std::int32_t> values, std::vector<std::int32_t>& order);

}  // namespace linpoint::monitors
