// SPDX-License-Identifier: Apache-2.0
// A set of processes: one word for the first 64, and more words only if there are more processes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linpoint/explore/explorer.hpp"

namespace linpoint::explore {

class ProcessSet {
 public:
  void clear() {
    low_ = 0;
    std::fill(high_.begin(), high_.end(), 0);
  }

  void insert(Process process) {
    if (process < kBits) {
      low_ |= bit(process);
      return;
    }
    if (place(process) >= high_.size()) high_.resize(place(process) + 1);
    high_[place(process)] |= bit(process);
  }

  void unite(const ProcessSet& other) {
    low_ |= other.low_;
    if (other.high_.size() > high_.size()) high_.resize(other.high_.size());
    for (std::size_t i = 0; i < other.high_.size(); ++i) high_[i] |= other.high_[i];
  }

  [[nodiscard]] bool contains(Process process) const {
    if (process < kBits) return (low_ & bit(process)) != 0;
    return place(process) < high_.size() && (high_[place(process)] & bit(process)) != 0;
  }

  [[nodiscard]] bool empty() const { return next(0) == kNobody; }

  /// The smallest member that is at least `from`; kNobody if there is none.
  [[nodiscard]] Process next(Process from) const {
    for (std::size_t word = from / kBits; word <= high_.size(); ++word) {
      std::uint64_t bits = word == 0 ? low_ : high_[word - 1];
      if (word == from / kBits) bits &= ~std::uint64_t{0} << (from % kBits);
      if (bits != 0) return static_cast<Process>(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    return kNobody;
  }

  template <typename Visit>
  void each(const Visit& visit) const {
    for (Process process = next(0); process != kNobody; process = next(process + 1)) visit(process);
  }

  friend bool operator==(const ProcessSet& one, const ProcessSet& other) {
    if (one.low_ != other.low_) return false;
    for (std::size_t i = 0; i < std::max(one.high_.size(), other.high_.size()); ++i)
      if (one.high(i) != other.high(i)) return false;
    return true;
  }

 private:
  static constexpr Process kBits = 64;
  static std::uint64_t bit(Process process) { return std::uint64_t{1} << (process % kBits); }
  static std::size_t place(Process process) { return process / kBits - 1; }
  [[nodiscard]] std::uint64_t high(std::size_t i) const { return i < high_.size() ? high_[i] : 0; }

  std::uint64_t low_ = 0;
  std::vector<std::uint64_t> high_;
};

}  // namespace linpoint::explore
