// SPDX-License-Identifier: Apache-2.0
// The operations on one key, by the eras that crashes end, and which values the crashes must have left.
//
// An operation that spans a crash of the object may take effect in several eras. For one that writes, it is enough to
// look at the last of them in which, or behind which, no operation sees its value: what its value does there it can do
// from the beginning of that era on, and before it nobody misses it. If nobody sees its value at all, the end of its
// first era will do. For one that sees a value every era is tried, by whoever uses this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "monitors/era_gaps.hpp"
#include "monitors/register.hpp"
#include "monitors/value_slots.hpp"

namespace linpoint::monitors {

/// A value that no operation shows, and that differs from all that one does.
inline constexpr std::int32_t kNotShown = -3;

/// The operations on one key, in divided gaps, and the eras that each may take effect in.
struct KeyAccesses {
  std::vector<Access> accesses;
  std::vector<EraSpan> eras;
  std::int32_t first_value = kAbsent;
};

class RegisterEras {
 public:
  struct Era {
    std::vector<Access> accesses;              // those that take effect in it, with their gaps there
    std::int32_t start = kNotShown;            // the value that the crash before it left
    std::int32_t shown_by = histories::kNone;  // an access that shows it
    std::int32_t saved = kNotShown;            // the value that the crash behind it leaves
  };

  /// `chosen` are the eras of the operations that certainly see a value (kNone: for this to say).
  RegisterEras(const KeyAccesses& key, std::span<const std::int32_t> chosen, const EraGaps& gaps);

  /// Finds out which value each crash left, as far as operations show it, and which of those that may be left out took
  /// effect, and when. None if nothing contradicts it.
  std::optional<Found> trace();

  [[nodiscard]] const Era& era(std::size_t number) const { return eras_[number]; }

 private:
  void keep_observed();
  std::optional<Found> place_writers();
  std::optional<Found> follow(std::int32_t access);
  std::optional<Found> survived(std::int32_t access, std::int32_t made);
  [[nodiscard]] std::int32_t maker_of(std::int32_t value) const;
  [[nodiscard]] std::int32_t op(std::int32_t access) const { return accesses_[at(access)].op; }

  const std::vector<Access>& accesses_;
  const std::vector<EraSpan>& spans_;
  const EraGaps& gaps_;
  std::int32_t initial_;
  mutable Slots makers_;                      // of each value: the access that writes it
  std::int32_t repeated_ = histories::kNone;  // an operation that writes a value which another one writes too
  std::vector<std::int32_t> era_of_;          // of each access that took effect; kNone: not known yet
  std::vector<bool> took_effect_;
  std::vector<std::int32_t> observers_;  // that took effect
  std::vector<Era> eras_;
};

}  // namespace linpoint::monitors
