// SPDX-License-Identifier: Apache-2.0
// A single value that is read, written and replaced: registers, and entries of maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// The effect of an operation on the value. `kDiffers`: it observed that the value was not `old`.
enum class Act : std::uint8_t { kWrite, kRead, kReplace, kDiffers };

struct Access {
  Act act;
  bool optional;
  std::int32_t op;
  std::int32_t old;  // the value read, replaced or excluded
  std::int32_t now;  // the value written
  Interval owns;
};

/// Whether the operation may have changed the value.
inline bool changes(const Access& access) { return access.act == Act::kWrite || access.act == Act::kReplace; }

/// Whether it shows which value was there.
inline bool observes(const Access& access) { return access.act == Act::kRead || access.act == Act::kReplace; }

/// The value of an absent entry.
inline constexpr std::int32_t kAbsent = -2;

/// The values that accesses write or observe, to assign slots to them.
std::vector<std::int32_t> values_of(std::span<const Access> accesses);

/// Reads the effects of operations on a register, or on an entry of a map.
class AccessReader {
 public:
  explicit AccessReader(const specs::Blueprint& blueprint) : blueprint_(blueprint) {}
  /// Fills in the effect of an operation; `access` has its number, its gaps, and whether it may be left out.
  [[nodiscard]] Exclusion read(const Instruction& what, Access& access) const;
  [[nodiscard]] bool entry() const { return blueprint_.kind == "map"; }

 private:
  [[nodiscard]] Exclusion register_access(const Instruction& what, Access& access) const;
  [[nodiscard]] Exclusion entry_access(const Instruction& what, Access& access) const;
  [[nodiscard]] Exclusion compare(const Instruction& what, std::int32_t old, std::int32_t now, Access& access) const;
  [[nodiscard]] bool no(const Instruction& what) const { return what.want == blueprint_.constants.no; }
  [[nodiscard]] bool yes(const Instruction& what) const { return what.want == blueprint_.constants.yes; }

  const specs::Blueprint& blueprint_;
};

/// `gaps` is the number of gaps of all operations. An order may have to be replayed: operations that report a different
/// value are inserted where they fit.
Found decide_register(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps);

/// Inserts operations that observed that the value was not `old` into an order of the others; false if one does not
/// fit. `initial` is the value before the order, `values` are those after each of its operations.
bool insert_differing(std::span<const Access> differing, std::span<const Interval> owns, std::int32_t initial,
                      std::span<const std::int32_t> values, std::vector<std::int32_t>& order);

/// The gaps in which one more read of `value` fits into accesses that have an order: ascending, disjoint. No access may
/// be optional, and no value may be written twice or be both written and initial.
std::vector<Interval> gaps_for_read(std::span<const Access> accesses, std::int32_t initial, std::int32_t gaps,
                                    std::int32_t value);

}  // namespace linpoint::monitors
