// SPDX-License-Identifier: Apache-2.0
// Configurations of a specification, stored consecutively, so that none needs its own allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linpoint::refine {

/// One way in which the specification may have followed a run.
using Configuration = std::vector<std::uint32_t>;

/// A list of configurations of one length.
class Configurations {
 public:
  void clear(std::uint32_t length) {
    words_.clear();
    length_ = length;
  }
  /// Adds a copy, which may be modified until the next one is added. `words` must not point into this list.
  std::uint32_t* add(const std::uint32_t* words) {
    words_.insert(words_.end(), words, words + length_);
    return words_.data() + words_.size() - length_;
  }
  [[nodiscard]] const std::uint32_t* operator[](std::size_t number) const { return words_.data() + number * length_; }
  [[nodiscard]] std::size_t size() const { return length_ == 0 ? 0 : words_.size() / length_; }
  [[nodiscard]] std::uint32_t length() const { return length_; }
  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
  std::uint32_t length_ = 0;
};

/// A set of configurations in insertion order. Designed for reuse.
class DistinctConfigurations {
 public:
  void clear(std::uint32_t length);
  /// Whether it was new.
  bool add(const std::uint32_t* words);
  [[nodiscard]] bool has(const std::uint32_t* words) const;
  [[nodiscard]] const Configurations& list() const { return list_; }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  /// A hash of the set, independent of the order.
  [[nodiscard]] std::uint64_t hash() const { return sum_; }

 private:
  /// A place is occupied if it was filled in the current turn, so nothing needs to be cleared between turns.
  struct Place {
    std::uint32_t turn = 0;
    std::uint32_t number = 0;
  };

  [[nodiscard]] std::uint64_t hash_of(const std::uint32_t* words) const;
  /// The place of a configuration, or where it can be added; and whether it is present.
  [[nodiscard]] std::pair<std::size_t, bool> find(const std::uint32_t* words, std::uint64_t hash) const;
  void begin_turn();
  void widen();

  Configurations list_;
  std::vector<Place> places_;
  std::uint32_t turn_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace linpoint::refine
