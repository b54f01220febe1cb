// SPDX-License-Identifier: Apache-2.0
// Which operations have taken effect, with a key whose size is that of the open window.
//
// Mandatory operations before `base` (the first that has not taken effect) are all in, so a key holds base, the bits
// behind it up to the last one set, and the bits of the optional operations, which may stay out for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "linpoint/search/search.hpp"

namespace linpoint::search {

class LinearizedSet {
 public:
  explicit LinearizedSet(const Problem& problem) {
    for (const std::uint8_t optional : problem.optional)
      number_.push_back(optional != 0 ? -1 - static_cast<std::int64_t>(optionals_++)
                                      : static_cast<std::int64_t>(mandatories_++));
    mandatory_.resize(mandatories_ / 64 + 2);
    optional_.resize((optionals_ + 63) / 64);
  }

  [[nodiscard]] std::size_t mandatories() const { return mandatories_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] bool contains(std::size_t op) const {
    const std::int64_t number = number_[op];
    return number >= 0 ? bit(mandatory_, static_cast<std::size_t>(number))
                       : bit(optional_, static_cast<std::size_t>(-1 - number));
  }

  void insert(std::size_t op) {
    const std::int64_t number = number_[op];
    if (number < 0) {
      flip(optional_, static_cast<std::size_t>(-1 - number));
      return;
    }
    flip(mandatory_, static_cast<std::size_t>(number));
    ++count_;
    while (base_ < mandatories_ && bit(mandatory_, base_)) ++base_;
  }

  void erase(std::size_t op) {
    const std::int64_t number = number_[op];
    if (number < 0) {
      flip(optional_, static_cast<std::size_t>(-1 - number));
      return;
    }
    flip(mandatory_, static_cast<std::size_t>(number));
    --count_;
    base_ = std::min(base_, static_cast<std::size_t>(number));
  }

  /// Writes the key of this set together with `state`; equal keys mean equal sets and states.
  void key(State state, std::vector<std::uint64_t>& out) const {
    out.clear();
    out.push_back((static_cast<std::uint64_t>(base_) << 32U) | static_cast<std::uint32_t>(state));
    out.insert(out.end(), optional_.begin(), optional_.end());
    std::size_t left = count_ - base_;  // bits set behind base
    for (std::size_t at = base_; left > 0; at += 64) {
      const std::uint64_t word = window(at);
      out.push_back(word);
      left -= static_cast<std::size_t>(__builtin_popcountll(word));
    }
  }

 private:
  using Words = std::vector<std::uint64_t>;
  static bool bit(const Words& words, std::size_t at) { return ((words[at / 64] >> (at % 64)) & 1U) != 0; }
  static void flip(Words& words, std::size_t at) { words[at / 64] ^= std::uint64_t{1} << (at % 64); }

  [[nodiscard]] std::uint64_t window(std::size_t at) const {
    const std::size_t shift = at % 64;
    const std::uint64_t low = mandatory_[at / 64] >> shift;
    return shift == 0 ? low : low | (mandatory_[at / 64 + 1] << (64 - shift));
  }

  std::vector<std::int64_t> number_;  // of a mandatory operation, or -1 - that of an optional one
  std::size_t mandatories_ = 0;
  std::size_t optionals_ = 0;
  Words mandatory_;
  Words optional_;
  std::size_t base_ = 0;
  std::size_t count_ = 0;  // mandatory operations in
};

}  // namespace linpoint::search
