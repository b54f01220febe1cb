// SPDX-License-Identifier: Apache-2.0
// Which operations have taken effect, with a key of the size of the open window.
//
// Operations before `base` (the first that may still take effect) are all settled, so a key holds base, and the bits
// after it up to the last one set. Which of the operations that may be left out forever took effect is stored
// separately, since fewer of them are better. An optional operation that has expired (an operation called after its end
// took effect) counts as settled whether it took effect or not: later operations cannot distinguish the two, so such
// configurations are identified.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linpoint/search/problem.hpp"

namespace linpoint::search {

/// The optional operations that never end, or for which others must know even later whether they took effect.
inline std::vector<bool> lasting_operations(const Problem& problem) {
  std::vector<bool> lasting(problem.size());
  for (const Pair& pair : problem.excluded) lasting[static_cast<std::size_t>(pair.second)] = true;
  for (std::size_t op = 0; op < problem.size(); ++op)
    lasting[op] = problem.optional[op] != 0 && (lasting[op] || problem.ret[op] == kNever);
  return lasting;
}

class LinearizedSet {
 public:
  explicit LinearizedSet(const Problem& problem) : in_(problem.size()) {
    const std::vector<bool> lasts = lasting_operations(problem);
    for (std::size_t op = 0; op < problem.size(); ++op) {
      const bool optional = problem.optional[op] != 0;
      const bool lasting = lasts[op];
      mandatories_ += optional ? 0 : 1;
      number_.push_back(lasting ? -1 - static_cast<std::int64_t>(lastings_++) : static_cast<std::int64_t>(windowed_++));
      if (optional && !lasting) expiring_.push_back({problem.ret[op], op});
    }
    std::sort(expiring_.begin(), expiring_.end(), [](const auto& a, const auto& b) { return a.ret < b.ret; });
    window_.resize(windowed_ / 64 + 2);
    lasting_.resize((lastings_ + 63) / 64);
  }

  [[nodiscard]] std::size_t mandatories() const { return mandatories_; }
  /// The number of mandatory operations that have taken effect.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool contains(std::size_t op) const { return in_[op]; }

  void insert(std::size_t op, bool optional) {
    in_[op] = true;
    count_ += optional ? 0 : 1;
    settle(op);
  }

  void erase(std::size_t op, bool optional) {
    in_[op] = false;
    count_ -= optional ? 0 : 1;
    unsettle(op);
  }

  /// Settles the optional operations that end before `latest_call`. Undo with `unexpire` and the value returned here.
  std::size_t expire(std::int64_t latest_call) {
    const std::size_t before = expired_;
    for (; expired_ < expiring_.size() && expiring_[expired_].ret < latest_call; ++expired_)
      if (!in_[expiring_[expired_].op]) settle(expiring_[expired_].op);
    return before;
  }

  void unexpire(std::size_t before) {
    while (expired_ > before)
      if (const std::size_t op = expiring_[--expired_].op; !in_[op]) unsettle(op);
  }

  /// Which of the operations that may be left out forever took effect.
  [[nodiscard]] const std::vector<std::uint64_t>& lasting() const { return lasting_; }

  /// The first word of the key: it grows with the prefix of settled operations.
  [[nodiscard]] std::uint64_t first_word(State state) const {
    return (static_cast<std::uint64_t>(base_) << 32U) | static_cast<std::uint32_t>(state);
  }

  /// Writes the key of this set together with `state`: with equal keys and equal `lasting`, the same operations can
  /// follow; with fewer of the lasting operations, at least the same.
  void key(State state, std::vector<std::uint64_t>& out) const {
    out.clear();
    out.push_back(first_word(state));
    std::size_t left = settled_ - base_;  // bits set after base
    for (std::size_t at = base_; left > 0; at += 64) {
      const std::uint64_t word = window(at);
      out.push_back(word);
      left -= static_cast<std::size_t>(__builtin_popcountll(word));
    }
  }

 private:
  using Words = std::vector<std::uint64_t>;
  struct Expiring {
    std::int64_t ret;
    std::size_t op;
  };

  static bool bit(const Words& words, std::size_t at) { return ((words[at / 64] >> (at % 64)) & 1U) != 0; }
  static void flip(Words& words, std::size_t at) { words[at / 64] ^= std::uint64_t{1} << (at % 64); }

  void settle(std::size_t op) {
    const std::int64_t number = number_[op];
    if (number < 0) {
      flip(lasting_, static_cast<std::size_t>(-1 - number));
      return;
    }
    flip(window_, static_cast<std::size_t>(number));
    ++settled_;
    while (base_ < windowed_ && bit(window_, base_)) ++base_;
  }

  void unsettle(std::size_t op) {
    const std::int64_t number = number_[op];
    if (number < 0) {
      flip(lasting_, static_cast<std::size_t>(-1 - number));
      return;
    }
    flip(window_, static_cast<std::size_t>(number));
    --settled_;
    base_ = std::min(base_, static_cast<std::size_t>(number));
  }

  [[nodiscard]] std::uint64_t window(std::size_t at) const {
    const std::size_t shift = at % 64;
    const std::uint64_t low = window_[at / 64] >> shift;
    return shift == 0 ? low : low | (window_[at / 64 + 1] << (64 - shift));
  }

  std::vector<bool> in_;
  std::vector<std::int64_t> number_;  // in the window, or -1 - number of an operation that may be left out forever
  std::vector<Expiring> expiring_;    // by return
  std::size_t expired_ = 0;
  std::size_t mandatories_ = 0;
  std::size_t windowed_ = 0;
  std::size_t lastings_ = 0;
  Words window_;
  Words lasting_;
  std::size_t base_ = 0;
  std::size_t settled_ = 0;
  std::size_t count_ = 0;
};

}  // namespace linpoint::search
