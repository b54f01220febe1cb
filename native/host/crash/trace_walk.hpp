// SPDX-License-Identifier: Apache-2.0
// Walks through a trace, event by event, with the least image of each moment in the pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/crash/pool_images.hpp"
#include "linpoint/persistency/linearization_points.hpp"
#include "linpoint/persistency/persistence.hpp"

namespace linpoint::runtime::crash {

using persistency::CrashState;
using persistency::Event;
using persistency::Persistence;

class Walk {
 public:
  explicit Walk(persistency::Mode mode) : now_(mode), bare_(mode) {}

  /// Starts at event `first`, in a pool whose content `images` begins with. Stores to lock words are left out: a crash
  /// restores their initial values.
  void begin(std::span<const Event> trace, std::uint32_t first, std::uint64_t cursor,
             const persistency::LockWords& locks, Images& images);
  /// Returns to the first event.
  void restart();

  [[nodiscard]] bool at_end() const { return position_ == trace_.size(); }
  /// Processes the next event.
  void advance();

  /// From now on stores of this code, including waiting ones, count as persistent immediately. `given`: that was so
  /// from the beginning; then states are reported in numbers without them.
  void heal(std::uint64_t code, bool given);
  [[nodiscard]] bool healed(std::uint64_t code) const;

  [[nodiscard]] const Persistence& now() const { return now_; }
  /// The number of events that have happened.
  [[nodiscard]] std::uint32_t position() const { return position_; }
  /// As the model sees them.
  [[nodiscard]] std::span<const Event> trace() const { return trace_; }
  [[nodiscard]] Images& images() const { return *images_; }
  /// The end of the pool's allocations.
  [[nodiscard]] std::uint64_t cursor() const { return cursor_; }
  [[nodiscard]] bool is_lock(std::uint32_t event) const { return lock_[event]; }
  /// A state for a report: in numbers that do not depend on code healed later.
  [[nodiscard]] std::vector<persistency::Kept> reported_state(const CrashState& state) const;
  /// The inverse: a reported state, as a state of this moment.
  [[nodiscard]] CrashState state_of(std::span<const persistency::Kept> kept) const;

 private:
  void settle();

  std::vector<Event> trace_;
  std::vector<bool> lock_;
  Persistence now_;
  Persistence bare_;  ///< without the effect of code healed later
  Images* images_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t position_ = 0;
  std::size_t settled_ = 0;  ///< number of stores that the model has settled by the last event
  std::uint64_t cursor_ = 0;
  std::uint64_t cursor_at_first_ = 0;
  std::vector<std::uint64_t> healed_;
  std::size_t healed_at_first_ = 0;
};

}  // namespace linpoint::runtime::crash
