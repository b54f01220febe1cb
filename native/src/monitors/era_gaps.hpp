// SPDX-License-Identifier: Apache-2.0
// The gaps of a history with crashes of the object. The gap of a crash is split in two: before and after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "monitors/intervals.hpp"

namespace linpoint::monitors {

/// The first and the last era in which an operation may take effect.
struct EraSpan {
  std::int32_t first;
  std::int32_t last;
  [[nodiscard]] bool one() const { return first == last; }
};

class EraGaps {
 public:
  /// `crashes` are the gaps in which the crashes happen, ascending; `gaps` is the number of gaps.
  EraGaps(std::vector<std::int32_t> crashes, std::int32_t gaps) : ends_(std::move(crashes)), count_(gaps) {
    for (std::int32_t& end : ends_) end += count_++ - gaps;
  }

  /// The number of gaps, with those of crashes counted twice.
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] std::size_t crashes() const { return ends_.size(); }
  [[nodiscard]] std::size_t eras() const { return ends_.size() + 1; }

  /// The gaps of an era.
  [[nodiscard]] Interval of(std::size_t era) const {
    return {era == 0 ? 0 : ends_[era - 1] + 1, era < ends_.size() ? ends_[era] : count_ - 1};
  }

  /// An interval, converted from undivided gaps.
  [[nodiscard]] Interval divided(const Interval& owns) const {
    return {owns.first + crashes_before(owns.first), owns.last + crashes_before(owns.last + 1)};
  }

  [[nodiscard]] EraSpan span(const Interval& divided) const { return {era_at(divided.first), era_at(divided.last)}; }

  /// The part of an interval that lies in one of its eras.
  [[nodiscard]] Interval within(const Interval& divided, std::int32_t era) const {
    const Interval mine = of(at(era));
    return {std::max(divided.first, mine.first), std::min(divided.last, mine.last)};
  }

 private:
  [[nodiscard]] std::int32_t era_at(std::int32_t gap) const {
    return static_cast<std::int32_t>(std::lower_bound(ends_.begin(), ends_.end(), gap) - ends_.begin());
  }

  /// The number of crashes in the gaps before an undivided gap.
  [[nodiscard]] std::int32_t crashes_before(std::int32_t gap) const {
    std::int32_t low = 0;
    for (auto high = static_cast<std::int32_t>(ends_.size()); low < high;) {
      const std::int32_t middle = (low + high) / 2;
      if (ends_[at(middle)] - middle < gap)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  std::vector<std::int32_t> ends_;  // the gaps immediately before the crashes
  std::int32_t count_;
};

/// The divided gaps of all operations of a problem of buffered durability.
struct DividedGaps {
  EraGaps gaps{{}, 0};
  std::vector<Interval> owns;
  bool vague = false;  // clocks differ, so the time of the object's crash is not certain
};
DividedGaps divide_gaps(const search::Problem& problem);

/// The operations of one era on all keys, and the whole order so far, era by era.
class EraOrder {
 public:
  /// The next operation on its key takes effect, in this gap at the earliest; `survives` the crash after the era or
  /// not.
  void place(std::int32_t op, std::int32_t gap, bool survives) { (survives ? surviving_ : lost_).push_back({gap, op}); }
  void end_era(bool crashed);

  /// The operations in order. For each era that a crash ended: its number of operations, and how many survive.
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> eras;
  std::vector<std::int32_t> survivors;

 private:
  struct Placed {
    std::int32_t gap;
    std::int32_t op;
  };
  std::vector<Placed> surviving_;
  std::vector<Placed> lost_;
};

}  // namespace linpoint::monitors
