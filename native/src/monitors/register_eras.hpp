// SPDX-License-Identifier: Apache-2.0
// The operations on one key, divided by the eras that crashes end, and the values that the crashes must have left.
//
// An operation that spans a crash of the object may take effect in several eras. For a writing operation, only the last
// of these eras matters in which, or after which, no operation observes its value: whatever its value does there is
// also possible from the beginning of that era on, and before that no operation needs it. If no operation observes its
// value at all, the end of its first era suffices. For an operation that observes a value, the caller tries every era.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "monitors/era_gaps.hpp"
#include "monitors/register.hpp"
#include "monitors/value_slots.hpp"

namespace linpoint::monitors {

/// A value that no operation shows; it differs from all values that are shown.
inline constexpr std::int32_t kNotShown = -3;

/// The operations on one key, in divided gaps, and the eras in which each may take effect.
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
    std::int32_t saved = kNotShown;            // the value that the crash after it leaves
  };

  /// `chosen` are the eras of the operations that certainly observe a value (kNone: to be determined here).
  RegisterEras(const KeyAccesses& key, std::span<const std::int32_t> chosen, const EraGaps& gaps);

  /// Determines which value each crash left, as far as operations show it, and which optional operations took effect,
  /// and when. None if nothing contradicts it.
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
  mutable Slots makers_;                      // of each value, the access that writes it
  std::int32_t repeated_ = histories::kNone;  // an operation that writes a value that another one also writes
  std::vector<std::int32_t> era_of_;          // of each access that took effect; kNone: not known yet
  std::vector<bool> took_effect_;
  std::vector<std::int32_t> observers_;  // observers that took effect
  std::vector<Era> eras_;
};

}  // namespace linpoint::monitors
