// SPDX-License-Identifier: Apache-2.0
// For each crash, the moment whose state it restores on all keys (see buffered_registers.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linpoint/search/stop_token.hpp"
#include "monitors/register_eras.hpp"

namespace linpoint::monitors {

class SavedMoments {
 public:
  SavedMoments(std::span<const KeyAccesses> keys, const EraGaps& gaps) : keys_(keys), gaps_(gaps) {}

  /// Finds the latest saved moment of each crash. None if all have one; else why not.
  std::optional<Found> find(search::StopToken& stop);

  [[nodiscard]] const RegisterEras::Era& era(std::size_t key, std::size_t number) const {
    return eras_[key].era(number);
  }
  /// The gap of the moment that the crash after an era restores.
  [[nodiscard]] std::int32_t moment(std::size_t era) const { return moments_[era]; }

 private:
  /// An operation that certainly observes a value, and may do so in several eras.
  struct Choice {
    std::size_t key;
    std::size_t access;
  };

  std::optional<Found> try_choices(search::StopToken& stop);
  std::optional<Found> choose_moment(std::size_t number);
  bool next();

  std::span<const KeyAccesses> keys_;
  const EraGaps& gaps_;
  std::vector<Choice> choices_;
  std::vector<std::vector<std::int32_t>> chosen_;  // the era of each access; kNone unless it is a choice
  std::vector<RegisterEras> eras_;
  std::vector<std::int32_t> moments_;
};

}  // namespace linpoint::monitors
