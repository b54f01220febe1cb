// SPDX-License-Identifier: Apache-2.0
// Trees over gaps and intervals, for stacks. All operations take O(log n); those of GapSet O(log n) with base 64.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace linpoint::monitors {

/// Counts per place, with their minimum. Adds to ranges without pushing down: a node holds the minimum of its places,
/// excluding additions to its ancestors.
class LeastCount {
 public:
  static constexpr std::int32_t kGone = std::numeric_limits<std::int32_t>::max() / 2;

  explicit LeastCount(std::span<const std::int32_t> counts)
      : size_(std::bit_ceil(std::max<std::size_t>(counts.size(), 1))), least_(2 * size_, kGone), added_(size_) {
    std::copy(counts.begin(), counts.end(), least_.begin() + static_cast<std::ptrdiff_t>(size_));
    for (std::size_t node = size_ - 1; node > 0; --node) pull(node);
  }

  [[nodiscard]] std::int32_t least() const { return least_[1]; }

  /// A place with the minimum count.
  [[nodiscard]] std::size_t place() const {
    std::size_t node = 1;
    while (node < size_) node = 2 * node + (least_[2 * node] <= least_[2 * node + 1] ? 0 : 1);
    return node - size_;
  }

  /// Adds to the places from `first` to `last`.
  void add(std::size_t first, std::size_t last, std::int32_t amount) {
    std::size_t low = first + size_;
    std::size_t high = last + size_;
    const std::size_t low_leaf = low;
    const std::size_t high_leaf = high;
    for (; low <= high; low /= 2, high /= 2) {
      if (low % 2 == 1) apply(low++, amount);
      if (high % 2 == 0) apply(high--, amount);
    }
    for (std::size_t node = low_leaf / 2; node > 0; node /= 2) pull(node);
    for (std::size_t node = high_leaf / 2; node > 0; node /= 2) pull(node);
  }

  /// Removes a place permanently.
  void remove(std::size_t place) {
    std::size_t node = place + size_;
    least_[node] = kGone;
    for (node /= 2; node > 0; node /= 2) pull(node);
  }

 private:
  void apply(std::size_t node, std::int32_t amount) {
    least_[node] += amount;
    if (node < size_) added_[node] += amount;
  }
  void pull(std::size_t node) { least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) + added_[node]; }

  std::size_t size_;
  std::vector<std::int32_t> least_;
  std::vector<std::int32_t> added_;
};

/// Intervals sorted by start, some of them removed: finds one that reaches a point.
class Reaching {
 public:
  explicit Reaching(std::span<const std::int32_t> ends)
      : size_(std::bit_ceil(std::max<std::size_t>(ends.size(), 1))), most_(2 * size_, kGone) {
    std::copy(ends.begin(), ends.end(), most_.begin() + static_cast<std::ptrdiff_t>(size_));
    for (std::size_t node = size_ - 1; node > 0; --node) most_[node] = std::max(most_[2 * node], most_[2 * node + 1]);
  }

  void remove(std::size_t place) {
    std::size_t node = place + size_;
    most_[node] = kGone;
    for (node /= 2; node > 0; node /= 2) {
      const std::int32_t most = std::max(most_[2 * node], most_[2 * node + 1]);
      if (most_[node] == most) break;
      most_[node] = most;
    }
  }

  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  /// The first place from `first` up to `end` whose interval ends at `point` or later.
  [[nodiscard]] std::size_t find(std::size_t first, std::size_t end, std::int32_t point) const {
    if (first >= end) return kNowhere;
    std::size_t node = first + size_;
    while (true) {
      if (most_[node] >= point) {
        while (node < size_) node = 2 * node + (most_[2 * node] >= point ? 0 : 1);
        const std::size_t place = node - size_;
        return place < end ? place : kNowhere;
      }
      // Move to the next subtree on the right.
      while (node % 2 == 1) {
        node /= 2;
        if (node <= 1) return kNowhere;
      }
      ++node;
      if (std::has_single_bit(node)) return kNowhere;
      if (leftmost(node) >= end) return kNowhere;
    }
  }

 private:
  static constexpr std::int32_t kGone = -1;

  [[nodiscard]] std::size_t leftmost(std::size_t node) const {
    const auto depth = static_cast<unsigned>(std::bit_width(size_) - std::bit_width(node));
    return (node << depth) - size_;
  }

  std::size_t size_;
  std::vector<std::int32_t> most_;
};

/// A growing set of gaps with neighbour queries: words of 64 bits, with words above them that mark the non-empty ones.
class GapSet {
 public:
  static constexpr std::int32_t kNothing = -1;

  explicit GapSet(std::size_t size) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size);
    } while (size > 1);
  }

  void insert(std::size_t gap) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[gap / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << (gap % 64);
      if (known) return;
      gap /= 64;
    }
  }

  /// The first member from this gap on.
  [[nodiscard]] std::int32_t from(std::size_t gap) const {
    for (std::size_t up = 0; up < levels_.size(); ++up) {
      if (gap / 64 < levels_[up].size()) {
        const std::uint64_t rest = levels_[up][gap / 64] & (~std::uint64_t{0} << (gap % 64));
        if (rest != 0) return down(up, gap / 64 * 64 + static_cast<std::size_t>(std::countr_zero(rest)), true);
      }
      gap = gap / 64 + 1;
    }
    return kNothing;
  }

  /// The last member up to this gap.
  [[nodiscard]] std::int32_t up_to(std::size_t gap) const {
    for (std::size_t up = 0; up < levels_.size(); ++up) {
      const std::uint64_t rest = levels_[up][gap / 64] & (~std::uint64_t{0} >> (63 - gap % 64));
      if (rest != 0) return down(up, gap / 64 * 64 + 63 - static_cast<std::size_t>(std::countl_zero(rest)), false);
      if (gap / 64 == 0) return kNothing;
      gap = gap / 64 - 1;
    }
    return kNothing;
  }

 private:
  [[nodiscard]] std::int32_t down(std::size_t level, std::size_t place, bool first) const {
    while (level > 0) {
      const std::uint64_t word = levels_[--level][place];
      place = place * 64 + (first ? static_cast<std::size_t>(std::countr_zero(word))
                                  : 63 - static_cast<std::size_t>(std::countl_zero(word)));
    }
    return static_cast<std::int32_t>(place);
  }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace linpoint::monitors
